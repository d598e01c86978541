public import SightscreenModels

/// Apple's side of a token: whoever plays APNs has to know it before the app does.
public protocol TokenSink: Sendable {
    /// A token begins to live. `match` and `shown` (the timestamp that the activity shows) come with an update token.
    func issued(_ token: String, _ kind: PushTokenKind, match: MatchID?, shown: Stamp?) async
    /// A push to it is answered with 410 from now on.
    func died(_ token: String) async
}

/// For phones that get their pushes by hand.
public struct NoTokenSink: TokenSink {
    public init() {}
    public func issued(_ token: String, _ kind: PushTokenKind, match: MatchID?, shown: Stamp?) {}
    public func died(_ token: String) {}
}
