import SightscreenModels
import Synchronization
import TestKit
import Testing

@testable import LACoordinator

@Suite struct ScheduleTests {
    /// Each is read, those that come together with one reading.
    @Test func aStampedeOfNotificationsIsFewReadings() async throws {
        let schedule = Schedule(interval: .seconds(600))
        let seen = Mutex<(readings: Int, matches: Set<MatchID>)>((0, []))
        let running = Task {
            await schedule.run { reading in
                seen.withLock {
                    $0.readings += 1
                    $0.matches.formUnion(reading.matches)
                }
            }
        }
        for number in Int64(1)...10_000 {
            schedule.readActivities()
            schedule.read(MatchID(number))
        }
        try await eventually("all are read") { seen.withLock { $0.matches.count } == 10_000 }
        #expect(seen.withLock { $0.readings } < 1_000)
        running.cancel()
        await running.value
    }
}
