public import SightscreenModels

/// The reason why a call to the gateway has no result.
public enum APIError: Error, Hashable, Sendable {
    /// The gateway did not answer.
    case transport(TransportError)
    /// No user is signed in, or a fresh token was refused as well.
    case signedOut
    /// The gateway refused the call. `retryAfter` is in seconds; nil when the gateway does not say it.
    case refused(status: Int, ProblemDocument?, retryAfter: Int?)
    /// The answer is one that this version of the app does not understand.
    case unreadable(status: Int)
    /// A newer choice of the user replaced the operation before its call was sent.
    case superseded

    /// The last part of the problem's type: "not-following".
    public var problem: String? {
        guard case .refused(_, let document?, _) = self else { return nil }
        return document.type.split(separator: "/").last.map { String($0) }
    }

    public var status: Int? {
        switch self {
        case .refused(let status, _, _), .unreadable(let status): status
        case .transport, .signedOut, .superseded: nil
        }
    }
    /// Whether the same call may succeed later.
    public var passes: Bool {
        switch self {
        case .transport, .signedOut: true
        case .refused(let status, _, _):
            status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505)
        case .unreadable, .superseded: false
        }
    }

    /// The wait that the gateway asks for.
    public var retryAfter: Duration? {
        guard case .refused(_, _, let seconds?) = self else { return nil }
        return .seconds(seconds)
    }
}
