/// Gives its senders their requests, and hears of the outcomes. All of it is called on the reactor's thread.
///
/// Of a sender it may call `wake` and `drain` from within any of these, which act later, and `submit` from within `fill` alone.
public protocol HTTP2SenderOwner: AnyObject {
    /// There may be room for a request: `submit` the next one, if `hasRoom` for it and it is still wanted now.
    /// - Returns: whether one was submitted.
    func fill(_ sender: HTTP2Sender) -> Bool
    /// A request is over.
    /// - Parameter tag: as it was submitted with.
    func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender)
    /// The peer's SETTINGS are there: it takes requests.
    func opened(_ sender: HTTP2Sender)
    /// The peer said GOAWAY: it drains.
    func isGoingAway(_ sender: HTTP2Sender, _ reason: String)
    /// It is gone, all outcomes are known; also when it never opened.
    /// - Parameter wasDraining: no more was to go over it.
    func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool)
}
