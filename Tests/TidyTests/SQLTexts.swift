/// The string literals of a source file that are SQL, and what is interpolated into them.
enum SQLTexts {
    struct Interpolation: Hashable {
        var expression: String
        var line: Int
    }

    /// - Returns: every `\(…)` in a literal that reads as SQL, also those inside of its own arguments.
    static func interpolations(in file: SourceTree.File) -> [Interpolation] {
        var scanner = Scanner(bytes: Array(file.lines.joined(separator: "\n").utf8))
        return scanner.scan()
    }

    /// Words in capitals, as SQL is written here, and what only SQL has.
    static func isSQL(_ text: String) -> Bool {
        if text.contains("::") || text.contains("clock_timestamp()") { return true }
        let words = text.split { !($0.isLetter || $0 == "_") }
        return words.contains { keywords.contains($0) }
    }

    private static let keywords: Set<Substring> = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "FROM", "WHERE", "VALUES", "RETURNING", "JOIN", "SET", "CASE", "WHEN",
        "AND", "OR", "NOT", "IS", "EXISTS", "ORDER", "LIMIT", "UNION", "CREATE", "ALTER", "DROP", "GRANT", "TRUNCATE",
        "LISTEN", "NOTIFY", "LOCK", "COPY", "WITH", "FILTER", "coalesce", "hashtextextended", "make_interval",
        "pg_notify", "convert_to",
    ]

    /// Reads Swift as far as its strings and comments go.
    private struct Scanner {
        let bytes: [UInt8]
        var at = 0
        var line = 1
        var found: [Interpolation] = []

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func scan() -> [Interpolation] {
            while at < bytes.count { code() }
            return found
        }

        private func sees(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

        private mutating func skip(_ count: Int) {
            for _ in 0..<count where at < bytes.count {
                if bytes[at] == UInt8(ascii: "\n") { line += 1 }
                at += 1
            }
        }

        /// One step outside of strings.
        private mutating func code() {
            if sees("//") {
                while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { skip(1) }
            } else if bytes[at] == UInt8(ascii: "#") || bytes[at] == UInt8(ascii: "\"") {
                var pounds = 0
                while at + pounds < bytes.count, bytes[at + pounds] == UInt8(ascii: "#") { pounds += 1 }
                skip(pounds)
                if at < bytes.count, bytes[at] == UInt8(ascii: "\"") { literal(String(repeating: "#", count: pounds)) }
            } else {
                skip(1)
            }
        }

        /// A literal from its first quote on.
        private mutating func literal(_ pounds: String) {
            let quote = sees("\"\"\"") ? "\"\"\"" : "\""
            let (end, escape) = (quote + pounds, "\\" + pounds)
            skip(quote.utf8.count)
            var text: [UInt8] = []
            var mine: [Interpolation] = []
            while at < bytes.count, !sees(end) {
                if sees(escape + "(") {
                    let place = line
                    skip(escape.utf8.count + 1)
                    mine.append(Interpolation(expression: argument(), line: place))
                    text.append(UInt8(ascii: "$"))
                } else if sees(escape) {
                    skip(escape.utf8.count + 1)
                } else {
                    text.append(bytes[at])
                    skip(1)
                }
            }
            skip(end.utf8.count)
            if SQLTexts.isSQL(String(decoding: text, as: UTF8.self)) { found += mine }
        }

        /// What stands before the closing parenthesis, which it takes, too.
        private mutating func argument() -> String {
            let from = at
            var depth = 1
            while at < bytes.count {
                if bytes[at] == UInt8(ascii: "(") { depth += 1 }
                if bytes[at] == UInt8(ascii: ")") { depth -= 1 }
                if depth == 0 { break }
                code()
            }
            defer { skip(1) }
            return String(decoding: bytes[from..<at], as: UTF8.self)
        }
    }
}
