/// The id that names a request in its answer and in the log.
enum RequestID {
    /// Returns 16 random hexadecimal digits.
    static func random() -> String {
        let text = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
