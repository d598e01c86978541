import ActivitySimulator
import FoundationEssentials
import Messages
import Sightscreen
import SightscreenClient
import TestKit
import Testing

/// The page "Add Sightscreen to your app" shows code that is compiled, and it does what the page says.
@MainActor
@Suite struct AddToYourAppTests {
    private static let top = URL(filePath: #filePath).resolvingSymlinksInPath().path
        .split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }

    private static func lines(_ path: String) throws -> [String] {
        let data = try #require(FileManager.default.contents(atPath: "\(top)/\(path)"), "there is no \(path)")
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.drop { $0 == " " }) }
    }

    /// The blocks of Swift, without indentation: in the files they stand within conditions.
    private static func blocks() throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try lines("deploy/docs/add-to-your-app.md") {
            switch (line, block) {
            case ("```swift", nil): block = []
            case ("```", let found?):
                blocks.append(found)
                block = nil
            default: block?.append(line)
            }
        }
        return blocks
    }

    private static func contains(_ file: [String], _ block: [String]) -> Bool {
        !block.isEmpty && file.indices.contains { file[$0...].starts(with: block) }
    }

    @Test func everyBlockOfThePageIsInAFileThatIsCompiledSomewhere() throws {
        let here = try Self.lines("Tests/SightscreenClientTests/AddToYourApp.swift")
        let onApple = try Self.lines("Tests/SightscreenClientTests/Apple/AddToYourApp+SwiftUI.swift")
        let blocks = try Self.blocks()
        #expect(blocks.count >= 8)
        var compiledHere = 0
        for block in blocks {
            if Self.contains(here, block) {
                compiledHere += 1
            } else {
                #expect(Self.contains(onApple, block), "\(block.first ?? "") is in neither file")
            }
        }
        #expect(compiledHere >= 4)
    }

    private func ports(_ gateway: any APITransport, _ web: any WebTransport, files: any FileStore) -> AppPorts {
        let clock = SimulatedClock(now: Sample.now)
        return AppPorts(
            gateway: gateway, web: web, session: FakeSession(user: Sample.user, token: "good"),
            activityKit: SimulatedActivityKit(clock: clock, seed: 1), store: InMemoryKeyValueStore(), matchFiles: files,
            imageFiles: InMemoryFileStore(), clock: clock, profile: Sample.profile)
    }

    @Test func thePagesServicesShowADayWithItsLogos() async throws {
        let gateway = try ScheduleGateway()
        let web = ImageServer()
        let day = MatchDay(at: Sample.now)
        await gateway.set(SampleMatches.all(now: Sample.now), on: day)
        let files = InMemoryFileStore()
        let services = AppServices(ports(gateway, web, files: files))
        await services.hydrate()
        #expect(try await services.open(day).count == 3)
        #expect(await web.urls.count == 4)
        await services.matches.flush()

        // The next launch has it with its first frame, without a network.
        await gateway.setOffline(true)
        let next = AppServices(ports(gateway, web, files: files))
        await next.hydrate()
        #expect(next.schedule.cached(day)?.matches.count == 3)
    }

    #if DEBUG
        @Test func thePagesDebugMenuPlaysATape() async throws {
            let fakeAPI = ReplayGateway(name: "fake")
            let menu = DebugMenu(
                gateway: ReplayGateway(name: "gateway"), fakeAPI: fakeAPI,
                session: FakeSession(user: Sample.user, token: "good"), store: InMemoryKeyValueStore())
            try await menu.playATape()
            #expect(menu.admin.replays.first?.label == "S2 5.1")
            #expect(await fakeAPI.lines.count == 3)
        }
    #endif
}
