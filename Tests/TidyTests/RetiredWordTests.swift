import Testing

/// One word for one thing, the field's: words that were given up do not come back in names or metrics.
@Suite struct RetiredWordTests {
    /// Parts of a name, each with what is written in its place.
    private static let retired: [String: String] = [
        "bell": "follow button, or notification", "bells": "follow buttons", "doorbell": "notification, wake-up",
        "desk": "worker, session", "desks": "workers", "deck": "registry", "brake": "hold", "brakes": "holds",
        "jury": "detector", "convict": "reject", "suspect": "candidate", "suspects": "candidates",
        "verdict": "outcome", "verdicts": "outcomes", "heart": "heartbeat", "freeze": "stall", "freezes": "stalls",
        "standstill": "stall", "standstills": "stalls", "gatherer": "batcher", "gather": "batch", "lonely": "flush",
        "companions": "batch", "wish": "pending operation", "wishes": "pending operations", "parcel": "registration",
        "shelf": "store", "courier": "sender", "mood": "sentiment", "turnstile": "queue", "riders": "selection",
        "ground": "harness", "house": "harness",
    ]

    /// Names that stay: members of JSON that others read, and a provider token that is frozen.
    private static let exceptions: Set<String> = [
        "verdict", "Verdict", "deviceVerdict", "wish", "freeze", "freezeMinutes", "freezeProviderToken",
    ]

    private static let keywords: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case",
    ]

    /// "APNsConnectionPool" is "apns", "connection", "pool".
    private static func parts(_ name: Substring) -> [String] {
        var parts: [String] = []
        var part = ""
        var wasLowercase = false
        for character in name {
            if character == "_" || (character.isUppercase && wasLowercase) {
                parts.append(part.lowercased())
                part = ""
            }
            if character != "_" { part.append(character) }
            wasLowercase = character.isLowercase
        }
        return parts + [part.lowercased()]
    }

    /// The names that are declared in a line.
    private static func declared(in line: Substring) -> [Substring] {
        guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return [] }
        func words(_ text: Substring) -> [Substring] { text.split { !($0.isLetter || $0.isNumber || $0 == "_") } }
        let all = words(line)
        let ofTuples = ["let (", "var ("].flatMap { open in
            line.split(separator: open, omittingEmptySubsequences: false).dropFirst()
                .flatMap { words($0.prefix { $0 != ")" }) }
        }
        return zip(all, all.dropFirst()).compactMap { keywords.contains($0) ? $1 : nil } + ofTuples
    }

    private static func violations(_ line: Substring) -> [String] {
        declared(in: line).filter { !exceptions.contains(String($0)) }.flatMap { name in
            parts(name).compactMap { part in retired[part].map { "\(name): not \"\(part)\", write \($0)" } }
        }
    }

    @Test func noNameHasARetiredWord() {
        for file in SourceTree.swift where !file.path.hasSuffix("RetiredWordTests.swift") {
            for (number, line) in file.lines.enumerated() {
                for violation in Self.violations(line) { Issue.record("\(file.path):\(number + 1): \(violation)") }
            }
        }
    }

    /// Metrics have words of their own that were given up.
    @Test func noMetricHasARetiredWord() {
        let words = Set(Self.retired.keys).union(["taken", "handed", "repeated"])
        for file in SourceTree.text where !file.path.hasSuffix("RetiredWordTests.swift") {
            for (number, line) in file.lines.enumerated() {
                for word in line.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
                where word.hasPrefix("sightscreen_") {
                    for part in word.split(separator: "_") where words.contains(String(part)) {
                        Issue.record("\(file.path):\(number + 1): \(word) has \"\(part)\"")
                    }
                }
            }
        }
    }

    @Test func aRetiredWordIsFound() {
        #expect(Self.violations("    private let apnsBrake = Brake()").count == 1)
        #expect(Self.violations("final class BadTokenJury {").count == 1)
        #expect(Self.violations("    // let desk").isEmpty)
        #expect(Self.violations("    let heartbeat = 1").isEmpty)
        #expect(Self.violations("    let (waiting, bell) = AsyncStream.makeStream(of: Void.self)").count == 1)
    }
}
