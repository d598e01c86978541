import FoundationEssentials
import Testing

/// The page Shared/Client/docs/ios-services-data.md names a test for every row of the product's tables, as they are typed here: each
/// of them is there.
@Suite struct ServicesDataPageTests {
    private static let top = URL(filePath: #filePath).resolvingSymlinksInPath().path
        .split(separator: "/").dropLast(5).reduce(into: "") { $0 += "/\($1)" }

    /// The tables of the product's page of services, as far as they are about data; typed from it, for it is not in
    /// this repository.
    private static let rows: [(table: String, rows: [String])] = [
        ("ScheduleService", ["Sliding-window cache", "Debouncing", "Today refresh"]),
        ("DataSource", ["`load()`", "`refresh()`", "`shouldPoll()`", "`pollIntervalMs`"]),
        ("ViewSubscriber", ["Lifecycle binding", "ScenePhase awareness", "Cache-first"]),
        ("LiveMatchesDataSource", ["Always polls", "Server-driven interval", "Adapts dynamically"]),
        ("ScheduleDataSource", ["Per-date", "Conditional polling", "Integrates with ScheduleService"]),
        ("Cache layers", ["1 In-memory", "2 Disk", "3 HTTP"]), ("Hydration on launch", ["`loadFromDisk()`"]),
        ("TTL by state", ["Live", "Completed"]),
        ("ImageCacheService", ["Memory cache", "Disk cache", "Async prefetch"]),
        ("AdminService", ["Fake API controls", "Tape playback"]),
    ]

    private struct Row {
        var table: String
        var name: String
        /// "Suite.test"; "Suite." for all of a suite; with "…" for all that begin so.
        var tests: [String]
    }

    private static func text(_ path: String) throws -> String {
        let data = try #require(FileManager.default.contents(atPath: "\(top)/\(path)"), "there is no \(path)")
        return String(decoding: data, as: UTF8.self)
    }

    /// The functions of each suite that are tests.
    private static func suites() throws -> [String: Set<String>] {
        var suites: [String: Set<String>] = [:]
        for folder in ["Shared/Client/Tests/SightscreenClientTests", "Tests/EndToEndTests"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(top)/\(folder)").sorted()
            where name.hasSuffix("Tests.swift") {
                let suite = String(name.dropLast(".swift".count))
                // What stands before a name: an attribute, perhaps with arguments over several lines.
                for part in try text("\(folder)/\(name)").split(separator: "@Test").dropFirst() {
                    guard let start = part.firstRange(of: " func ")?.upperBound else { continue }
                    suites[suite, default: []].insert(String(part[start...].prefix { $0.isLetter || $0.isNumber }))
                }
            }
        }
        return suites
    }

    private static func page() throws -> [Row] {
        let page = try text("Shared/Client/docs/ios-services-data.md")
        let part = try #require(page.firstRange(of: "## Every row and its test")?.upperBound)
        var rows: [Row] = []
        var table = ""
        for line in page[part...].split(separator: "\n") where line.hasPrefix("|") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: true).map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            guard cells.count >= 2, let last = cells.last else { continue }
            if cells.count == 3, !cells[0].isEmpty { table = cells[0] }
            if cells.count == 2 { table = "WholeAppTests" }
            rows.append(Row(table: table, name: cells[cells.count - 2], tests: tests(last, table)))
        }
        return rows
    }

    /// A name without a suite is of the suite before it.
    private static func tests(_ cell: String, _ table: String) -> [String] {
        var suite = table
        var tests: [String] = []
        for (index, word) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        where !index.isMultiple(of: 2) && !word.contains(where: { $0 == " " || $0 == "/" }) {
            var parts = word.split(separator: ".").map { String($0) }
            if let first = parts.first, ["EndToEndTests", "SightscreenClientTests"].contains(first) {
                parts.removeFirst()
            }
            if let first = parts.first, first.first?.isUppercase == true {
                suite = first
                parts.removeFirst()
            }
            tests.append("\(suite).\(parts.joined(separator: "."))")
        }
        return tests
    }

    @Test func everyTestThatThePageNamesIsThere() throws {
        let suites = try Self.suites()
        var named = 0
        for row in try Self.page() {
            for test in row.tests {
                let parts = test.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
                named += 1
                if parts[1].hasSuffix("…") {
                    let start = parts[1].dropLast()
                    #expect(suites.values.contains { $0.contains { $0.hasPrefix(start) } }, "\(row.name): \(test)")
                } else {
                    let known = try #require(suites[parts[0]], "\(row.name): there is no suite \(parts[0])")
                    #expect(parts[1].isEmpty || known.contains(parts[1]), "\(row.name): there is no test \(test)")
                }
            }
        }
        #expect(named > 50)
    }

    @Test func everyRowOfTheProductsTablesHasATest() throws {
        let page = try Self.page()
        for (table, rows) in Self.rows {
            for name in rows {
                #expect(
                    page.contains { $0.table == table && $0.name == name && !$0.tests.isEmpty },
                    "\(table): \(name)")
            }
        }
    }

    /// And each suite of them is there for something that the page names.
    @Test(arguments: [
        "ScheduleServiceTests", "DataSourceTests", "DataPollerTests", "MatchCacheStoreTests", "DiskCacheStoreTests",
        "FileStoreTests", "SlowDiskTests", "ImageCacheServiceTests", "UTCDayTests", "AdminServiceTests",
    ])
    func theSuitesOfDataAreOnThePage(_ suite: String) throws {
        #expect(try Self.page().contains { $0.tests.contains { $0.hasPrefix("\(suite).") } })
    }
}
