/// The address of another system, from a setting. It is checked when the service starts.
public struct ServiceURL: Sendable, Equatable, CustomStringConvertible {
    /// The scheme: `https`, or `http` if stand-ins are allowed.
    public let scheme: String
    /// A name or an address; an IPv6 address is without its brackets.
    public let host: String
    /// The port; 443 or 80 if none was written.
    public let port: Int
    /// The path: empty, or with a `/` at its beginning and none at its end.
    public let path: String

    /// Whether the port is the scheme's own, so that it need not be written.
    private var portIsUsual: Bool { port == (scheme == "https" ? 443 : 80) }

    /// The address without its path: `https://host` or `https://host:port`.
    public var origin: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return portIsUsual ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }

    /// The whole address, without a slash at its end.
    public var absoluteString: String { origin + path }
    public var description: String { absoluteString }

    /// Returns the address with a path added.
    /// - Parameter path: begins with `/`.
    public func appending(_ path: String) -> String { absoluteString + path }

    /// The fault of an address.
    struct Problem: Error {
        var text: String
    }

    /// - Parameter standIns: allows http, and hosts that only this machine or network reaches.
    init(_ text: String, standIns: Bool) throws(Problem) {
        let malformed = Problem(text: "\"\(text)\" is not a URL; write it like https://host/path")
        guard let schemeEnd = text.firstRange(of: "://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw malformed
        }
        let scheme = text[..<schemeEnd.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw malformed }
        let rest = text[schemeEnd.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else {
            throw Problem(text: "a URL with a user or password in it is refused; write it like https://host/path")
        }
        let path = rest.dropFirst(authority.count)
        guard !path.contains("?"), !path.contains("#") else {
            throw Problem(text: "a URL with ? or # in it is refused; write it like https://host/path")
        }
        guard let (host, port) = Self.hostAndPort(authority, default: scheme == "https" ? 443 : 80) else {
            throw malformed
        }
        if !standIns {
            guard scheme == "https" else {
                throw Problem(text: "\"\(text)\" is not https; only SIGHTSCREEN_STAND_INS=1 allows http")
            }
            guard PublicHost.isPublic(host) else {
                throw Problem(
                    text: "the host \"\(host)\" is private; only SIGHTSCREEN_STAND_INS=1 allows private hosts")
            }
        }
        self.scheme = scheme
        self.host = host
        self.port = port
        var trimmed = path
        while trimmed.last == "/" { trimmed.removeLast() }
        self.path = String(trimmed)
    }

    private static func hostAndPort(_ authority: Substring, default: Int) -> (String, Int)? {
        var host = authority
        var port: Int? = `default`
        if authority.first == "[" {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<close]
            let after = authority[authority.index(after: close)...]
            if !after.isEmpty {
                guard after.first == ":" else { return nil }
                port = Self.port(after.dropFirst())
            }
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = Self.port(authority[authority.index(after: colon)...])
            }
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            guard host.count <= 253,
                labels.allSatisfy({ label in
                    !label.isEmpty && label.count <= 63 && label.first != "-" && label.last != "-"
                        && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
                })
            else { return nil }
        }
        guard let port else { return nil }
        return (host.lowercased(), port)
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.count <= 5, text.allSatisfy(\.isNumber), let port = Int(text), (1...65_535).contains(port) else {
            return nil
        }
        return port
    }
}
