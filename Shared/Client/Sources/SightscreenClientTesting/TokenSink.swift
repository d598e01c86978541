public import SightscreenModels

/// Receives tokens in place of Apple: a simulated APNs has to know a token before the app does.
public protocol TokenSink: Sendable {
    /// A token was issued. `match` and `shown` (the timestamp of the activity's content) come with an update token.
    func issued(_ token: String, _ kind: PushTokenKind, match: MatchID?, shown: Stamp?) async
    /// The token is dead: APNs answers a push to it with 410 from now on.
    func died(_ token: String) async
}

/// A sink that ignores tokens, for phones that receive their pushes by hand.
public struct NoTokenSink: TokenSink {
    public init() {}
    public func issued(_ token: String, _ kind: PushTokenKind, match: MatchID?, shown: Stamp?) {}
    public func died(_ token: String) {}
}
