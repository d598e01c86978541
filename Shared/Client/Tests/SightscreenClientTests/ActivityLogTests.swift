@testable import SightscreenClientTesting
import SightscreenModels
import Testing

@testable import SightscreenClient

/// Each step of an activity and of its token is one line of the log.
@Suite struct ActivityLogTests {
    private static let match = Sample.match()

    private func lines(_ log: DebugLogService) -> [String] {
        log.events.filter { $0.category == .liveActivity }.map(\.message)
    }

    @Test func theLifeOfACardIsReadInItsLines() async throws {
        let log = DebugLogService()
        try await AppLogger.with([log]) {
            let phone = try await Phone(Self.match)
            try await phone.launch()
            try await phone.app.follow(Self.match)
            let id = try await phone.registeredActivity(Self.match.id)
            try await phone.soon("the token is registered") { lines(log).contains("Token registered") }
            await phone.kit.dismiss(id)
            try await phone.soon("it is gone") { lines(log).contains("Activity left the screen") }
            await phone.end()
        }
        let steps = [
            "Activity created", "Token registered", "Activity dismissed by the user", "Activity left the screen",
        ]
        #expect(lines(log).filter(steps.contains) == steps)
        let token = try #require(log.events.first { $0.message == "Token registered" })
        #expect(token.metadata["match"] == "\(Self.match.id)")
    }

    @Test func aCardThatNoFollowWantsIsNotAdopted() async throws {
        let log = DebugLogService()
        try await AppLogger.with([log]) {
            let phone = try await Phone(Self.match)
            try await phone.launch()
            try await phone.app.follow(Self.match)
            await phone.gateway.setOffline(true)
            await phone.app.unfollow(Self.match.id)
            // The backend does not know of the unfollow yet.
            try await phone.pushStart(Self.match.id)
            try await phone.soon("it is ended") { lines(log).contains("Failed to adopt push-started LA") }
            await phone.end()
        }
        #expect(lines(log).contains("Adopted push-started LA"))
    }

    @Test func aRefusedStartAndAFailedFollowAreLines() async throws {
        let log = DebugLogService()
        try await AppLogger.with([log]) {
            let phone = try await Phone(Self.match)
            try await phone.launch()
            await phone.kit.setForeground(false)
            try await phone.app.follow(Self.match)
            await phone.gateway.setOffline(true)
            await #expect(throws: APIError.transport(.offline)) { try await phone.app.follow(Self.match) }
            await phone.end()
        }
        #expect(log.events.contains { $0.message == "Start refused by the system" && $0.error != nil })
        #expect(log.events.contains { $0.message == "Follow failed" && $0.level == .warning })
    }
}
