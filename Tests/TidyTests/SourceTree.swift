import FoundationEssentials

/// The files of this repository, as they are beside the tests.
struct SourceTree: Sendable {
    struct File: Sendable, CustomStringConvertible {
        /// From the top of the repository: `Shared/Wire/WireServer.swift`.
        var path: String
        var lines: [Substring]

        var description: String { path }

        /// The folders and the name.
        var parts: [Substring] { path.split(separator: "/") }

        /// Tests and what only tests use.
        var isTest: Bool { parts.contains("Tests") }

        /// The module of a service or of what is shared; nil of tests and manifests.
        var module: String? {
            switch parts.first {
            case "Shared" where parts.count > 4 && parts[1] == "Client":
                parts[2] == "Sources" ? String(parts[3]) : nil
            case "Shared" where parts.count > 2 && parts[1] != "Client", "Services" where parts.count > 2:
                String(parts[1])
            default: nil
            }
        }

        /// The modules this file imports, with their line numbers.
        var imports: [(module: String, line: Int)] {
            lines.enumerated().compactMap { number, line in
                var words = line.split(separator: " ")[...]
                while let first = words.first, first.hasPrefix("@") || Self.modifiers.contains(first) {
                    words = words.dropFirst()
                }
                guard words.first == "import", var module = words.dropFirst().first else { return nil }
                if Self.kinds.contains(module), let named = words.dropFirst(2).first { module = named }
                return (String(module.prefix { $0 != "." }), number + 1)
            }
        }

        private static let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        private static let kinds: Set<Substring> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
    }

    static let top: String = {
        // …/Tests/TidyTests/SourceTree.swift
        let file = URL(filePath: #filePath).resolvingSymlinksInPath().path
        let parts = file.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    /// The Swift sources of the services, the shared modules and the tests.
    static let swift: [File] =
        ["Services", "Shared", "Tests"].flatMap { files(in: $0, endings: [".swift"]) }
        + files(in: ".", endings: [".swift"], deep: false)

    /// Everything that people read or machines run: sources, SQL, C shims, scripts, pages.
    static let text: [File] =
        swift
        + ["Services", "Shared", "Tests"].flatMap {
            files(in: $0, endings: [".sql", ".h", ".modulemap", ".md", ".py"])
        }
        + files(in: "deploy", endings: nil) + files(in: ".ci", endings: nil)
        + files(in: ".", endings: [".md", ".yaml", ".yml"], deep: false)

    private static func files(in folder: String, endings: [String]?, deep: Bool = true) -> [File] {
        let base = folder == "." ? top : "\(top)/\(folder)"
        let names = (try? deep ? subpaths(of: base) : FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        return names.sorted().compactMap { name in
            guard !name.contains(".build/"), endings?.contains(where: name.hasSuffix) ?? true,
                let data = FileManager.default.contents(atPath: "\(base)/\(name)"),
                let text = String(data: data, encoding: .utf8)
            else { return nil }
            let path = folder == "." ? name : "\(folder)/\(name)"
            return File(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }

    private static func subpaths(of folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder)
    }
}
