import Testing

/// The module's DocC catalogue: whoever looks for a type finds it under a heading, and every promise is written down.
@Suite struct CatalogueTests {
    private static let module = "Shared/Client/Sources/SightscreenClient"
    private static let kinds: Set<Substring> = ["actor", "class", "enum", "protocol", "struct", "typealias"]

    private struct Line {
        var path: String
        var number: Int
        /// Without the blanks in front.
        var text: Substring
        /// Of braces, at its beginning.
        var depth: Int
        /// The line before it that is no attribute.
        var before: Substring
    }

    /// The lines of code of all files.
    private static func code() throws -> [Line] {
        var code: [Line] = []
        for path in try Sources.swift(module) {
            var depth = 0
            var before: Substring = ""
            for (index, line) in try Sources.lines(path).enumerated() {
                let text = line.drop { $0 == " " }
                if !text.hasPrefix("//") {
                    code.append(Line(path: path, number: index + 1, text: text, depth: depth, before: before))
                    for character in text {
                        if character == "{" { depth += 1 }
                        if character == "}" { depth -= 1 }
                    }
                }
                if !text.hasPrefix("@") { before = text }
            }
            #expect(depth == 0, "\(path)")
        }
        return code
    }

    private static func words(_ line: Line) -> [Substring] {
        line.text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
    }

    /// The public types that are in no other one.
    private static func types() throws -> Set<String> {
        var types: Set<String> = []
        for line in try code() where line.depth == 0 {
            let words = words(line)
            guard words.contains("public"), let kind = words.firstIndex(where: { kinds.contains($0) }),
                words.indices.contains(kind + 1), !words.contains("extension"), !words.contains("import")
            else { continue }
            types.insert(String(words[kind + 1]))
        }
        return types
    }

    /// The names of the list under "Topics".
    private static func topics() throws -> [String] {
        try Sources.lines("\(module)/SightscreenClient.docc/SightscreenClient.md").drop { $0 != "## Topics" }
            .filter { $0.hasPrefix("- ``") }.map { String($0.dropFirst(4).dropLast(2)) }
    }

    @Test func everyPublicTypeIsInOneTopic() throws {
        let types = try Self.types()
        #expect(types.isSuperset(of: ["Bell", "AppleActivityKit", "KeychainError", "RetryDelays"]))
        let topics = try Self.topics()
        for type in types.sorted() {
            #expect(topics.count { $0 == type } == 1, "\(type)")
        }
    }

    @Test func everyNameInATopicIsAPublicType() throws {
        let types = try Self.types()
        for name in try Self.topics() { #expect(types.contains(name), "\(name)") }
    }

    /// What a protocol asks for is what others implement and call.
    @Test func everyRequirementSaysWhatItPromises() throws {
        var isInProtocol = false
        var count = 0
        for line in try Self.code() {
            if line.depth == 0, !line.text.hasPrefix("}") {
                isInProtocol = line.text.hasPrefix("public protocol ")
            }
            guard isInProtocol, line.depth == 1, let first = Self.words(line).first else { continue }
            guard ["associatedtype", "func", "init", "var"].contains(first) else { continue }
            count += 1
            #expect(line.before.hasPrefix("///"), "\(line.path):\(line.number): \(line.text)")
        }
        #expect(count > 100)
    }
}
