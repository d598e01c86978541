/// Why there is no answer. It names scheme, host and path of the request and never its query, which may hold a secret.
public struct HTTPClientError: Error, CustomStringConvertible, Sendable {
    public enum Code: Sendable, Equatable {
        case timeout
        /// No connection: refused, unreachable, unknown host.
        case connect
        /// The peer is not who it says it is, or speaks no TLS that we accept.
        case tls
        /// More bytes than the request allows.
        case tooLarge
        /// The URL or a setting of the request cannot be used.
        case badRequest
        /// The connection broke, or what came is not HTTP.
        case transport
    }

    public var code: Code
    /// "https://host/path".
    public var place: String
    /// libcurl's sentence.
    public var reason: String

    public var description: String { "\(place): \(reason)" }

    /// What of a URL may be shown.
    static func place(of url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        // A password in the authority is a secret too.
        guard let scheme = shown.range(of: "://"), let at = shown[scheme.upperBound...].firstIndex(of: "@"),
            !shown[scheme.upperBound..<at].contains("/")
        else { return String(shown) }
        return String(shown[..<scheme.upperBound] + shown[shown.index(after: at)...])
    }
}

extension StringProtocol {
    /// The first place where `text` stands; FoundationEssentials has this only for whole strings of its own kind.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
