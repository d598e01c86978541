import HTTPClient
import OperatorTool
import SightscreenModels
import TestKit
import Testing

/// Any process may die at any moment: the supervisor brings it back and nobody notices.
@Suite struct KillTests {
    @Test(.timeLimit(.minutes(10))) func everyServiceIsKilledOnceInTheMiddleOfAMatch() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            let fleet = try suite.fleet([("asha", 2), ("ben", 2), ("chitra", 1)])
            let id = try await suite.prepare(1_178_424, fleet, speed: 40)
            _ = try await suite.tape.play(id)
            try await eventually("every phone shows the match", within: .seconds(60)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { ($0.activities.first?.shown.count ?? 0) > 1 }
            }
            try await suite.killEach(receiving: fleet)
            let position = try await suite.tape.position(id)
            #expect(position.cursor < position.frames, "all of them died while the match was on")
            try await eventually("every activity is ended", within: .seconds(180)) {
                try await fleet.receive()
                return await fleet.phones.allSatisfy { $0.activities.last?.endedAt != nil }
            }
            let final = try #require(try await suite.committed(id))
            #expect(final.matchDisplayState == .completed || final.matchDisplayState == .abandoned)
            for phone in await fleet.phones {
                #expect(phone.activities.count == 1, "\(phone.device): no second start")
                #expect(phone.activities.first?.state == final, "\(phone.device): the same final state")
            }
            let told = await fleet.history.filter { $0.delivery.payload?.aps.event == "update" }
                .compactMap { entry in entry.delivery.payload?.aps.alert.map { "\(entry.phone) \($0.title) \($0.body)" }
                }
            #expect(Set(told).count == told.count, "no alert came twice")
        }
    }
}
