import FoundationEssentials
import SightscreenModels

/// Says in a line what differs.
enum Difference {
    /// "missing: …" and "extra: …", in order of text.
    static func lines(expected: [String: Int], found: [String: Int]) -> [String] {
        Set(expected.keys).union(found.keys).sorted().compactMap { line in
            let difference = (found[line] ?? 0) - (expected[line] ?? 0)
            if difference == 0 { return nil }
            let times = abs(difference) > 1 ? " (\(abs(difference)) times)" : ""
            return "\(difference < 0 ? "missing" : "extra"): \(line)\(times)"
        }
    }

    static func order(_ expected: [String], _ found: [String]) -> String {
        let place = zip(expected, found).enumerated().first { $1.0 != $1.1 }?.offset ?? min(expected.count, found.count)
        func at(_ lines: [String]) -> String { lines.indices.contains(place) ? lines[place] : "nothing" }
        return "line \(place + 1) is \(at(found)), the oracle has \(at(expected))"
    }

    static func states(_ expected: ContentState?, _ found: ContentState?) -> String {
        "the state at the end is \(text(found)), clean \(text(expected))"
    }

    private static func text(_ state: ContentState?) -> String {
        guard let state else { return "none" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? "not to be encoded"
    }
}
