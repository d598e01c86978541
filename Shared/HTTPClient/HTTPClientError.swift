/// The reason for which there is no answer. It names scheme, host and path of the request and never its query, which
/// may hold a secret.
public struct HTTPClientError: Error, CustomStringConvertible, Sendable {
    public enum Code: Sendable, Equatable {
        case timeout
        /// There is no connection: refused, unreachable, or an unknown host.
        case connect
        /// The peer cannot prove its name, or speaks no TLS that we accept.
        case tls
        /// The answer has more bytes than the request allows.
        case tooLarge
        /// The URL or a setting of the request cannot be used.
        case badRequest
        /// The connection broke, or the answer is not HTTP.
        case transport
    }

    public var code: Code
    /// The request's "https://host/path".
    public var place: String
    /// libcurl's description of the failure.
    public var reason: String

    public var description: String { "\(place): \(reason)" }

    /// Returns the part of a URL that may be shown.
    static func place(of url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        // A password in the authority is secret, too.
        guard let scheme = shown.range(of: "://"), let at = shown[scheme.upperBound...].firstIndex(of: "@"),
            !shown[scheme.upperBound..<at].contains("/")
        else { return String(shown) }
        return String(shown[..<scheme.upperBound] + shown[shown.index(after: at)...])
    }
}

extension StringProtocol {
    /// Returns the first occurrence of `text`; FoundationEssentials offers this only for whole strings of one type.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
