public import SightscreenModels

/// Why a call of the gateway has no result.
public enum APIError: Error, Hashable, Sendable {
    /// There was no answer.
    case transport(TransportError)
    /// Nobody is signed in, or a fresh token was refused, too.
    case signedOut
    /// The gateway's refusal; `retryAfter` in seconds, where it says so.
    case refused(status: Int, ProblemDocument?, retryAfter: Int?)
    /// An answer that this version of the app does not understand.
    case unreadable(status: Int)
    /// The user has wished otherwise before the call was sent.
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

    /// The same call may succeed later: nothing is wrong with it.
    public var passes: Bool {
        switch self {
        case .transport, .signedOut: true
        case .refused(let status, _, _):
            status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505)
        case .unreadable, .superseded: false
        }
    }

    /// How long the gateway asks to wait.
    public var retryAfter: Duration? {
        guard case .refused(_, _, let seconds?) = self else { return nil }
        return .seconds(seconds)
    }
}
