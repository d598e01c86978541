import SightscreenClient
import SightscreenClientTesting
import TestSupport
import Testing

/// The page "Add Sightscreen to your app" shows code that is compiled. `WholeAppTests` tests what the code does.
@MainActor
@Suite struct AddToYourAppTests {
    private static func lines(_ path: String) throws -> [String] {
        try Sources.lines(path).map { String($0.drop { $0 == " " }) }
    }

    /// Returns the page's Swift blocks without indentation, because in the files they are inside conditions.
    private static func blocks() throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try lines("Shared/Client/docs/add-to-your-app.md") {
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
        let here = try ["AddToYourApp", "AddToYourApp+Debug", "AddToYourApp+Simulated"].map {
            try Self.lines("Shared/Client/Tests/SightscreenClientTests/\($0).swift")
        }
        let onApple = try ["Example", "Tests/SightscreenClientTests/Apple"]
            .flatMap { try Sources.swift("Shared/Client/\($0)") }.map { try Self.lines($0) }
        let blocks = try Self.blocks()
        #expect(blocks.count >= 8)
        var compiledHere = 0
        for block in blocks {
            if here.contains(where: { Self.contains($0, block) }) {
                compiledHere += 1
            } else {
                let isOnApple = onApple.contains { Self.contains($0, block) }
                #expect(isOnApple, "\(block.first ?? "") is in no file")
            }
        }
        #expect(compiledHere >= 4)
    }

    @Test func thePagesDebugMenuPlaysATape() async throws {
        let phone = try await AppPhone()
        try await phone.signIn()
        await phone.app.close()
        let fakeAPI = ReplayGateway()
        let menu = DebugMenu(
            phone.ports,
            fakeAPI: phone.ports.onFakeAPI(fakeAPI, store: InMemoryKeyValueStore(), matchFiles: InMemoryFileStore()))
        let before = menu.services
        try await menu.playATape()
        #expect(menu.admin.usesFakeAPI)
        #expect(menu.services !== before, "another backend means another app")
        #expect(menu.admin.replays.first?.label == "S2 5.1")
        #expect(await fakeAPI.lines.count == 3)
        await menu.services.close()
        await phone.end()
    }
}
