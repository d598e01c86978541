/// Gives its senders their requests, and is told the outcomes. All methods are called on the reactor's thread.
///
/// Within any of these methods it may call `wake` and `drain` of a sender, which act later, and `submit` only within
/// `fill`.
public protocol HTTP2SenderOwner: AnyObject {
    /// Called when there may be room for a request: it submits the next one, if `hasRoom` for it and it is still
    /// wanted.
    /// - Returns: whether one was submitted.
    func fill(_ sender: HTTP2Sender) -> Bool
    /// Called when a request is over.
    /// - Parameter tag: the tag with which the request was submitted.
    func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender)
    /// Called when the peer's SETTINGS have arrived: the connection takes requests.
    func opened(_ sender: HTTP2Sender)
    /// Called when the peer has sent GOAWAY: the connection drains.
    func isGoingAway(_ sender: HTTP2Sender, _ reason: String)
    /// Called when the connection is closed and all outcomes are told, also when it never opened.
    /// - Parameter wasDraining: the connection took no new requests any more.
    func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool)
}
