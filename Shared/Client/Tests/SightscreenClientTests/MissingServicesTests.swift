@testable import SightscreenClientTesting
import TestSupport
import Testing

@testable import SightscreenClient

@Suite struct MissingServicesTests {
    @Test func aServiceThatIsReadAndNeverSetIsAnError() async throws {
        let log = DebugLogService()
        try await AppLogger.with([log]) {
            let clock = SimulatedClock(now: Sample.now)
            let services = MissingServices(clock: clock)
            services.isRead("authService")
            // As SwiftUI does when the app sets a value.
            services.isRead("scheduleService")
            services.isSet("scheduleService")
            try await eventually("both are awaited") { clock.sleeperCount == 2 }
            clock.advance(by: MissingServices.patience)
            try await eventually("the first is told of") { !log.events.isEmpty && clock.sleeperCount == 0 }
        }
        #expect(log.events.map(\.metadata) == [["service": "authService"]])
        #expect(log.events.first?.level == .error)
    }
}
