import TestKit

/// Damages to an answer, as transport and provider do them.
enum Mutation {
    private static let values = [
        "null", "true", "\"\"", "\"7\"", "\" 8.5 \"", "0", "-1", "1e2", "1.0", "18446744073709551616", "1e999", "01",
        "[]", "{}", "[1,2,]", #"{"data":[{"id":1}]}"#, #"{"0":{"id":3}}"#, #""\ud800""#, #""\u00e9""#, #""\x""#,
        "\"2026-10-09 13:00:00\"",
    ]

    static func of(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 100 {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<min(place + Int.random(in: 1...50, using: &random), bytes.count))
            case 2: bytes.removeSubrange(place...)
            default:
                // Another value behind some key.
                guard let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) else { continue }
                let end = bytes[(colon + 1)...].firstIndex { ",}]".utf8.contains($0) } ?? bytes.count
                if bytes[(colon + 1)..<end].contains(where: { "{[".utf8.contains($0) }) { continue }
                bytes.replaceSubrange((colon + 1)..<end, with: Array((values.randomElement(using: &random) ?? "").utf8))
            }
        }
        return bytes
    }
}
