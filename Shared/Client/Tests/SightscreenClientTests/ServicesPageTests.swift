import Testing

/// The pages about the app's services name a test for each row of the product's tables, as they are typed here and in
/// `ServicesDataPageTests`: the rows are all there, and so are the tests.
@Suite struct ServicesPageTests {
    private static let launch = "Shared/Client/docs/ios-services-launch.md"
    private static let liveActivities = "Shared/Client/docs/ios-client.md"
    private static let data = "Shared/Client/docs/ios-services-data.md"

    private struct Row {
        var table: String
        var name: String
        var tests: [String]
    }

    /// The rows of a table whose last column names tests. An empty first column is that of the row before.
    private static func rows(_ page: String) throws -> [Row] {
        var rows: [Row] = []
        var table = ""
        var isOfTests = false
        for line in try Sources.lines(page) {
            guard line.hasPrefix("|") else {
                isOfTests = false
                continue
            }
            let columns = line.split(separator: "|").map { trimmed($0) }
            if columns.last == "test" {
                isOfTests = true
            } else if isOfTests, columns.count == 3, columns[0].first != "-" {
                if !columns[0].isEmpty { table = columns[0] }
                rows.append(Row(table: table, name: columns[1], tests: tests(columns[2])))
            }
        }
        return rows
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        guard let last = start.lastIndex(where: { $0 != " " }) else { return "" }
        return String(start[...last])
    }

    /// "Suite.test" for what a column names in code: "`Suite.test`, `another`", or a suite as a whole.
    private static func tests(_ column: String) -> [String] {
        var suite = ""
        var tests: [String] = []
        for (place, code) in column.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            guard place % 2 == 1, code.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." }) else { continue }
            let parts = code.split(separator: ".").map { String($0) }
            switch parts.count {
            case 1 where parts[0].hasSuffix("Tests"): tests.append(parts[0])
            case 1: tests.append("\(suite).\(parts[0])")
            default:
                suite = parts[parts.count - 2]
                tests.append("\(suite).\(parts[parts.count - 1])")
            }
        }
        return tests
    }

    /// Every suite there is, and "Suite.test" for every test.
    private static func existing() throws -> Set<String> {
        var found: Set<String> = []
        for path in try Sources.swift("Tests") + Sources.swift("Shared/Client/Tests") {
            var suite = ""
            var isTest = false
            for line in try Sources.lines(path) {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@" || $0 == "/") }
                if words.first?.hasPrefix("//") == true { continue }
                if let place = words.firstIndex(of: "struct"), words.indices.contains(place + 1),
                    words[place + 1].hasSuffix("Tests")
                {
                    suite = String(words[place + 1])
                    found.insert(suite)
                }
                if words.contains("@Test") { isTest = true }
                if isTest, let place = words.firstIndex(of: "func"), words.indices.contains(place + 1) {
                    found.insert("\(suite).\(words[place + 1])")
                    isTest = false
                }
            }
        }
        return found
    }

    @Test(arguments: [launch, liveActivities])
    func everyTestThatThePageNamesExists(page: String) throws {
        let existing = try Self.existing()
        #expect(existing.contains("ServicesPageTests.everyTestThatThePageNamesExists"))
        let rows = try Self.rows(page)
        #expect(rows.count >= 25)
        for row in rows {
            #expect(!row.tests.isEmpty, "\(row.table), \(row.name) has no test")
            for test in row.tests { #expect(existing.contains(test), "\(row.table), \(row.name): there is no \(test)") }
        }
    }

    /// As the product's page has them; typed from it, for it is not in this repository.
    private static let product: [(table: String, rows: [String])] = [
        ("AppBootstrap", ["1 Config check", "2 Auth restore", "3 Follow sync", "4 LA restore", "5 Ready"]),
        (
            "AuthService",
            [
                "signUp(email:password:)", "signIn(email:password:)", "verifyEmail(code:)", "resetPassword(email:)",
                "confirmResetPassword(code:newPassword:)", "signOut()", "currentUser", "Admin detection",
            ]
        ),
        (
            "LiveActivityService (facade)",
            [
                "LiveActivityTokenManager", "LiveActivityLifecycleManager", "FollowManager",
                "never the managers directly",
            ]
        ),
        ("NotificationService", ["requestPermission()", "registerDevice(token:)", "unregisterDevice()"]),
        ("Dual tokens", ["Device token", "Push-to-start token"]),
        ("AppConfigService", ["Version check", "Force update", "Maintenance mode"]),
        ("AdminService", ["Fake API controls", "Tape playback", "debug builds only"]),
        ("AppLogger", ["os.Logger", "Sentry", "DebugLogService", "consistent formatting"]),
        ("DI wiring", ["the environment", "previews"]),
    ]

    @Test func everyRowOfTheProductsTablesIsThere() throws {
        let rows = try Self.rows(Self.launch)
        for (table, names) in Self.product {
            for name in names {
                #expect(rows.contains { $0.table == table && $0.name == name }, "\(table), \(name)")
            }
        }
    }

    /// The headings of the product's page, and the table of ours that stands for each.
    private static let sections: [(heading: String, page: String, table: String)] = [
        ("Overview", launch, "Overview"), ("AppBootstrap", launch, "AppBootstrap"),
        ("AuthService", launch, "AuthService"),
        ("LiveActivityService (facade)", launch, "LiveActivityService (facade)"),
        ("NotificationService", launch, "NotificationService"), ("ScheduleService", data, "ScheduleService"),
        ("DataSource protocol + ViewSubscriber modifier", data, "DataSource"),
        ("ViewSubscriber modifier", data, "ViewSubscriber"), ("LiveMatchesDataSource", data, "LiveMatchesDataSource"),
        ("ScheduleDataSource", data, "ScheduleDataSource"), ("MatchCacheStore", data, "Cache layers"),
        ("ImageCacheService", data, "ImageCacheService"), ("AppConfigService", launch, "AppConfigService"),
        ("AdminService", launch, "AdminService"), ("AppLogger", launch, "AppLogger"),
        ("DI wiring", launch, "DI wiring"),
    ]

    @Test func everySectionOfTheProductsPageHasItsTable() throws {
        for (heading, page, table) in Self.sections {
            #expect(try Self.rows(page).contains { $0.table == table }, "\(heading): \(page)")
        }
    }
}
