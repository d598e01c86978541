import Postgres
import Testing

@testable import Store

/// How services begin while PostgreSQL comes and goes.
@Suite struct DatabaseStartTests {
    @Test func aServerThatGoesAwayBetweenTwoQuestionsIsWaitedForAgain() async throws {
        var (reached, checked) = (0, 0)
        var lost: [String] = []
        try await DatabaseStart.wait(
            reach: { reached += 1 },
            check: {
                checked += 1
                if checked < 3 { throw PostgresError(.outcomeUnknown, "gone, \(checked)") }
            }, onLost: { lost.append($0) })
        #expect(reached == 3 && checked == 3)
        #expect(lost == ["gone, 1", "gone, 2"])
    }

    @Test(arguments: [
        PostgresError(.notDurable, "fsync is off"), PostgresError(.configuration, "leads to a pooler"),
    ])
    func aServerThatCannotBeRightIsNotWaitedFor(_ error: PostgresError) async {
        await #expect(throws: PostgresError.self) {
            try await DatabaseStart.wait(
                reach: {}, check: { throw error },
                onLost: { _ in Issue.record("it is not lost") })
        }
    }

    @Test func waitingEndsWithItsTask() async {
        let task = Task {
            try await DatabaseStart.wait(
                reach: {}, check: { throw PostgresError(.unavailable, "away") }, onLost: { _ in })
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
