internal import COpenSSL

/// A failure of OpenSSL, with everything in this thread's error queue.
public struct OpenSSLError: Error, Hashable, CustomStringConvertible {
    /// The operation that failed, for example "read a private key".
    public let doing: String
    /// OpenSSL's own lines, oldest first; they name functions and reasons, never key material.
    public let reasons: [String]

    /// Empties the error queue, so that the next failure does not inherit this one's lines.
    init(_ doing: String) {
        self.doing = doing
        reasons = Self.drainQueue()
    }

    init(_ doing: String, reason: String) {
        self.doing = doing
        reasons = [reason] + Self.drainQueue()
    }

    public var description: String {
        reasons.isEmpty ? "cannot \(doing)" : "cannot \(doing): \(reasons.joined(separator: "; "))"
    }

    /// Empties the error queue and returns its lines. It must also be called after a negative result (a signature that
    /// does not match), which leaves lines behind.
    @discardableResult
    static func drainQueue() -> [String] {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return reasons }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
    }
}
