@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Synchronization
import Testing

/// Events, their destinations, and the removal of secrets.
@Suite struct AppLoggerTests {
    /// Records the events that it gets, in place of the system's log.
    private final class Recorder: LogDestination, SentryPort {
        let events = Mutex<[LogEvent]>([])
        let captured = Mutex<[LogEvent]>([])

        func record(_ event: LogEvent) { events.withLock { $0.append(event) } }
        func addBreadcrumb(_ event: LogEvent) { record(event) }
        func capture(_ event: LogEvent) { captured.withLock { $0.append(event) } }
        var texts: [String] { events.withLock { $0.map(\.text) } }
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "refused" }
    }

    private static func speak() {
        AppLogger.debug("Looked", category: .cache)
        AppLogger.info("Token registered", category: .liveActivity, metadata: ["match": "7"])
        AppLogger.warning("Late", category: .network)
        AppLogger.error("Failed to adopt push-started LA", error: Refusal(), category: .liveActivity)
    }

    private static let spoken = [
        "[cache] Looked", "[liveActivity] Token registered match=7", "[network] Late",
        "[liveActivity] Failed to adopt push-started LA error=refused",
    ]

    /// The system's log gets every event, through its adapter.
    @Test func everyEventReachesTheSystemsLog() async {
        let system = Recorder()
        await AppLogger.with([system]) { Self.speak() }
        #expect(system.texts == Self.spoken)
        #expect(system.events.withLock { $0.map(\.level) } == [.debug, .info, .warning, .error])
        let categories = system.events.withLock { $0.map(\.category) }
        #expect(categories == [.cache, .liveActivity, .network, .liveActivity])
    }

    @Test func sentryGetsErrorsAsReportsAndTheRestAsBreadcrumbs() async {
        let sentry = Recorder()
        await AppLogger.with([SentryDestination(sentry)]) { Self.speak() }
        #expect(sentry.texts == Array(Self.spoken.dropLast()))
        #expect(sentry.captured.withLock { $0.map(\.text) } == [Self.spoken[3]])
    }

    @Test func theOverlayShowsTheNewestEvents() async {
        let log = DebugLogService(eventsMax: 3)
        var updates = log.updates().makeAsyncIterator()
        #expect(await updates.next() == [])
        await AppLogger.with([log], clock: SimulatedClock(now: 1_800_000_000)) { Self.speak() }
        #expect(log.events.map(\.text) == Array(Self.spoken.dropFirst()))
        #expect(await updates.next()?.count == 3)
        #expect(log.text.hasPrefix("2027-01-15T08:00:00Z info [liveActivity] Token registered match=7\n"))
        log.clear()
        #expect(log.events.isEmpty)
    }

    /// Every event reaches all three destinations with the same text.
    @Test func allDestinationsHearTheSameInTheSameWords() async {
        let (system, sentry, overlay) = (Recorder(), Recorder(), DebugLogService())
        await AppLogger.with([system, SentryDestination(sentry), overlay]) {
            AppLogger.error("Failed", error: Refusal(), category: .auth, metadata: ["b": "2", "a": "1"])
        }
        #expect(system.texts == ["[auth] Failed error=refused a=1 b=2"])
        #expect(sentry.captured.withLock { $0.map(\.text) } == system.texts)
        #expect(overlay.events.map(\.text) == system.texts)
    }

    /// Events of every level reach all three destinations in order.
    @Test func anEventOfAnyLevelReachesAllThree() async {
        let (system, sentry, overlay) = (Recorder(), Recorder(), DebugLogService())
        await AppLogger.with([system, SentryDestination(sentry), overlay]) { Self.speak() }
        let levels = system.events.withLock { $0.map(\.level) }
        #expect(levels == LogLevel.allCases)
        #expect(system.texts == Self.spoken)
        #expect(sentry.texts + sentry.captured.withLock { $0.map(\.text) } == Self.spoken)
        #expect(overlay.events == system.events.withLock { $0 })
    }

    /// The library logs only through AppLogger, and never calls print() or os_log.
    @Test func nobodyLogsPastIt() throws {
        let others = ["print", "debugPrint", "dump", "NSLog", "os_log", "Logger"]
        for path in try Sources.swift("Shared/Client/Sources/SightscreenClient")
        where !path.hasSuffix("OSLogDestination.swift") {
            for line in try Sources.lines(path) where line.drop(while: { $0 == " " }).prefix(2) != "//" {
                let calls = line.split { !($0.isLetter || $0 == "_" || $0 == "(") }.flatMap { word in
                    word.split(separator: "(", omittingEmptySubsequences: false).dropLast()
                }
                #expect(!calls.contains { others.contains(String($0)) }, "\(path): \(line)")
            }
        }
    }

    @Test func tasksOfATestLogWhereItDoes() async {
        let log = DebugLogService()
        await AppLogger.with([log]) { await Task { AppLogger.info("Inside", category: .auth) }.value }
        AppLogger.info("Outside", category: .auth)
        #expect(log.events.map(\.message) == ["Inside"])
    }

    private static let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
    private static let hex = "80f1c2d3e4f5061728394a5b6c7d8e9f80f1c2d3e4f5061728394a5b6c7d8e9f"

    /// Text from outside is cleaned.
    @Test(arguments: [
        ("Bearer \(jwt)", "Bearer eyJhbG…"), ("token=\(jwt), again", "token=eyJhbG…, again"), (hex, "80f1c2…"),
        ("/devices/\(hex)?x=1", "/devices/80f1c2…?x=1"), ("sent to asha@example.com.", "sent to …@…"),
        ("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6kL9n", "aB3dE6…"), ("match 1304076 at 12.3", "match 1304076 at 12.3"),
        ("6F9619FF-8B86-D011-B42D-00C04FC964FF", "6F9619FF-8B86-D011-B42D-00C04FC964FF"), ("", ""), ("a==", "a=="),
        ("https://example.com/logos/mumbai-indians-2025.png", "https://example.com/logos/mumbai-indians-2025.png"),
    ])
    func secretsAreTakenOutOfTexts(text: String, cleaned: String) { #expect(LogRedaction.clean(text) == cleaned) }

    @Test func secretsAreTakenOutOfMetadataByName() {
        let event = LogEvent(
            level: .info, category: .auth, message: "x",
            metadata: [
                "password": "horse", "accessToken": "short", "refresh_token": String(repeating: "z", count: 30),
                "code": "314159", "statusCode": "404", "match": "7",
            ], at: 0)
        #expect(
            event.metadata == [
                "password": "…", "accessToken": "…", "refresh_token": "zzzzzz…", "code": "…", "statusCode": "404",
                "match": "7",
            ])
    }

    /// Token types print only their first digits, wherever they are printed.
    @Test func tokensPrintAsTheirFirstDigits() {
        #expect("\(DeviceToken(Self.hex))" == "80f1c2…")
        #expect("\(AuthError.transport(.timeout))".contains("timeout"))
    }
}
