import Testing

/// What holds for the whole source tree.
@Suite struct TidyTests {
    static let sources = SourceTree.swift

    /// A violation as an editor finds it.
    private static func place(_ file: SourceTree.File, _ line: Int) -> String { "\(file.path):\(line)" }

    @Test func theTreeIsThere() {
        #expect(Self.sources.count > 100)
        #expect(Self.sources.contains { $0.path == "Package.swift" })
    }

    /// Foundation brings ICU: 40 MB into every executable. It may only stand where FoundationEssentials does not exist.
    @Test func nobodyImportsFoundation() {
        // The adapters of Apple's frameworks and the example app are compiled where it is the system's own.
        for file in Self.sources where Set(file.parts).isDisjoint(with: ["Apple", "Example"]) {
            for (module, line) in file.imports where module == "Foundation" {
                let before = file.lines[..<(line - 1)].last { $0.hasPrefix("#") }
                #expect(before == "#else", "\(Self.place(file, line)) imports Foundation")
            }
        }
    }

    /// Modules that need neither socket, clock, thread nor database; and what else each may see.
    static let pure: [String: Set<String>] = [
        "SightscreenModels": [],
        "SightscreenClient": ["SightscreenModels"],
        "SightscreenIntents": ["SightscreenModels", "SightscreenClient"],
        "SightscreenClientTesting": ["SightscreenModels", "SightscreenClient"],
        "Cricket": ["SightscreenModels"],
        "SportMonks": ["SightscreenModels", "Cricket"],
        "Detection": ["SightscreenModels", "Cricket"],
        "Activities": ["SightscreenModels", "Cricket"],
        "Tapes": ["SportMonks"],
        "Replay": ["SightscreenModels", "Cricket", "SportMonks", "Detection", "Tapes", "TapeFile"],
        "Messages": ["SightscreenModels", "SportMonks"],
        "APNsProtocol": ["SightscreenModels", "Activities", "Cricket"],
    ]

    static let mechanisms: [String: Set<String>] = [
        "Reactor": ["CLinux"],
        "Processes": ["CLinux", "Reactor"],
        "Postgres": ["CPostgres", "COpenSSL", "Reactor"],
        "HTTP2": ["CNGHTTP2", "COpenSSL", "Reactor"],
        "FanOut": ["SightscreenModels", "Activities", "Messages", "APNsProtocol", "HTTP2", "Reactor"],
        "HTTPClient": ["CCurl"],
        "Tokens": ["COpenSSL"],
        "TapeFile": ["CZstd"],
        "FileLock": [],
        "Wire": ["FileLock", "Messages"],
    ]

    static let upper: [String: Set<String>] = [
        "Store": Set(pure.keys).union(["Postgres", "Tokens"]),
        "ServiceKit": ["SightscreenModels", "FileLock", "HTTPClient", "Postgres", "Reactor", "Tokens", "ControlHTTP"],
        "ControlHTTP": [],
    ]

    /// By the folder's name under Shared, Shared/Client/Sources and Services; C modules are only folders of module
    /// maps.
    static var ours: Set<String> {
        Set(sources.compactMap(\.module)).union(["CPostgres", "CCurl", "COpenSSL", "CNGHTTP2", "CZstd", "CLinux"])
    }

    @Test func sharedModulesImportOnlyWhatIsBelowThem() {
        let allowed = Self.pure.merging(Self.mechanisms) { $1 }.merging(Self.upper) { $1 }
        let ours = Self.ours
        for file in Self.sources where file.parts.first == "Shared" {
            guard let module = file.module else { continue }
            guard let below = allowed[module] else {
                Issue.record("\(file.path): Shared/\(module) has no place in the order of modules")
                continue
            }
            for (imported, line) in file.imports where ours.contains(imported) {
                #expect(below.contains(imported), "\(Self.place(file, line)): \(module) must not import \(imported)")
            }
        }
    }

    @Test func pureModulesImportNothingThatTouchesTheWorld() {
        let harmless: Set<String> = ["FoundationEssentials", "Foundation", "Observation", "Swift", "Synchronization"]
        let ours = Self.ours
        for file in Self.sources where Self.pure.keys.contains(file.module ?? "") {
            // What stands between the client library and an iPhone; nothing of it is compiled here.
            if file.parts.contains("Apple") { continue }
            // A disk blocks who waits for it, on the phone as here: that one file has a thread for it.
            let harmless = file.path.hasSuffix("Cache/DiskQueue.swift") ? harmless.union(["Dispatch"]) : harmless
            for (imported, line) in file.imports where !ours.contains(imported) {
                #expect(harmless.contains(imported), "\(Self.place(file, line)): a pure module imports \(imported)")
            }
        }
    }

    @Test func servicesDoNotImportEachOther() {
        let services = Set(Self.sources.filter { $0.parts.first == "Services" }.map { String($0.parts[1]) })
        for file in Self.sources where file.parts.first == "Services" {
            for (imported, line) in file.imports where services.contains(imported) {
                let isOwnMain = file.parts[1] == imported && file.parts[2] == "Main"
                #expect(isOwnMain, "\(Self.place(file, line)): a service imports \(imported)")
            }
        }
    }

    /// What checks our requests shares no code with what makes them, because a mistake of reading Apple's pages would be
    /// on both sides.
    @Test func theSimulatorSharesNoCodeWithTheSender() {
        let senders: Set<String> = ["APNsProtocol", "FanOut", "Activities", "Messages"]
        for file in Self.sources where file.module == "APNsSimulator" {
            for (imported, line) in file.imports {
                #expect(!senders.contains(imported), "\(Self.place(file, line)): the simulator imports \(imported)")
            }
        }
    }

    /// C stays in the modules that wrap it.
    @Test func servicesReachNoCLibrary() {
        for file in Self.sources where file.parts.first == "Services" {
            for (imported, line) in file.imports {
                #expect(
                    !["CPostgres", "CCurl", "COpenSSL", "CNGHTTP2", "CZstd", "CLinux"].contains(imported),
                    "\(Self.place(file, line)): a service imports \(imported)")
            }
        }
    }

    /// What the provider calls the states of a match stands in one file; the stand-ins that play the provider have
    /// their own.
    @Test func theProvidersWordsStandInOnePlace() {
        let words = [
            "\"ns\"", "aban\"", "cancl\"", "postp\"", "tea break", "'ns'", "'finished'", "'int.'", "innings break'",
            "stump day", "aban.", "cancl.", "postp.",
        ]
        let inSwift = Set(words.prefix(5))
        let product = Self.sources.filter { file in
            !["Tests", "Package.swift"].contains(file.parts[0]) && !["Tapes", "MockSportMonks"].contains(file.module)
                && !file.parts.contains("Client")
        }
        var places: [String: Set<String>] = [:]
        for file in product {
            for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let text = line.lowercased()
                for word in words where text.contains(word) { places[word, default: []].insert(file.path) }
            }
        }
        for word in words {
            #expect(
                places[word] ?? [] == (inSwift.contains(word) ? ["Shared/Cricket/MatchPhase.swift"] : []), "\(word)")
        }
    }

    @Test func filesAreShortEnoughToRead() {
        for file in Self.sources where file.path != "Package.swift" {
            #expect(file.lines.count <= 600, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test func nothingIsLeftToDo() {
        // Put together, so that this file passes its own test.
        let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
        for file in SourceTree.text {
            for (number, line) in file.lines.enumerated() {
                for word in words where contains(line, word) {
                    Issue.record("\(Self.place(file, number + 1)) says \(word)")
                }
            }
        }
    }

    /// The tests are built in release: one that only a debug build has would be run by nobody, and nobody would notice.
    @Test func noTestNeedsADebugBuild() {
        // Put together, so that this file passes its own test.
        let condition = "DE" + "BUG"
        for file in Self.sources where file.isTest && !file.parts.contains("Apple") {
            for (number, line) in file.lines.enumerated() where line.drop(while: { $0 == " " }).hasPrefix("#") {
                #expect(!contains(line, condition), "\(Self.place(file, number + 1)) is in one build only")
            }
        }
    }

    @Test func noPathOfOneMachineIsWrittenDown() {
        let folders = ["/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/", "/Us" + "ers/", "/tmp/mi" + "ni"]
        for file in SourceTree.text {
            // A build stage of an image runs as root wherever it is built.
            let isImage = file.path.hasSuffix("Dockerfile")
            for (number, line) in file.lines.enumerated() where line.contains("/") {
                for folder in folders where line.contains(folder) && !(isImage && folder == "/ro" + "ot/") {
                    Issue.record("\(Self.place(file, number + 1)) has a path that begins with \(folder)")
                }
            }
        }
    }

    /// A page that says by what test a promise is kept names one that there is.
    @Test func pagesNameTestsThatThereAre() {
        let code = Self.sources + SourceTree.text.filter { $0.path.hasSuffix(".py") }
        var suites: [Substring: String] = [:]
        for file in code {
            for line in file.lines {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                guard let kind = words.firstIndex(where: { ["struct", "class", "extension"].contains($0) }),
                    let name = words[kind...].dropFirst().first, name.hasSuffix("Tests")
                else { continue }
                suites[name, default: ""] += file.lines.joined(separator: "\n")
            }
        }
        let targets = Set(code.flatMap(\.parts))
        var named = 0
        for page in SourceTree.text where page.path.hasSuffix(".md") {
            for (number, line) in page.lines.enumerated() {
                for quoted in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                where !quoted.offset.isMultiple(of: 2) {
                    let parts = quoted.element.split(separator: ".")
                    guard let suite = parts.first, suite.hasSuffix("Tests"), suite.first?.isUppercase == true,
                        suite.allSatisfy({ $0.isLetter || $0.isNumber }), parts.count <= 2, parts.last != "swift"
                    else { continue }
                    named += 1
                    let place = Self.place(page, number + 1)
                    guard let text = suites[suite] else {
                        #expect(targets.contains(suite), "\(place): there is no \(suite)")
                        continue
                    }
                    let isThere = parts.count == 1 || text.contains(" \(parts[1])")
                    #expect(isThere, "\(place): \(suite) has no \(parts.last ?? "")")
                }
            }
        }
        #expect(named > 100)
    }

    @Test func linesFitAndEndWell() {
        for file in Self.sources {
            for (number, line) in file.lines.enumerated() {
                #expect(
                    !line.contains("\t") && !line.hasSuffix(" "),
                    "\(Self.place(file, number + 1)): tab or space at the end")
            }
            #expect(file.lines.last == "", "\(file.path) does not end with a line feed")
        }
    }

    @Test func outsideDataIsNeverForced() {
        for file in Self.sources where !file.isTest {
            for (number, line) in file.lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                #expect(!line.contains("try" + "!"), "\(Self.place(file, number + 1)) forces a try")
            }
        }
    }

    /// As a word of its own: `mXXXX` in a template is none.
    private func contains(_ line: Substring, _ word: String) -> Bool {
        line.split { !$0.isLetter && $0 != "_" }.contains { $0 == word }
    }
}
