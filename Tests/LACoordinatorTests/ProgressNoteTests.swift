import OperatorTool
import APNsProtocol
import Messages
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// What the coordinator writes for the operator.
@Suite struct ProgressNoteTests {
    @Test func theDatabaseSaysHowFarTheNewestVersionIs() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben", "cat"] { try await harness.join(user) }
                await harness.apns.answer { push, _ in
                    push.token == Harness.updateToken("cat") ? StubAPNs.refusal(.payloadTooLarge) : StubAPNs.accepted
                }
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit(alert: .wicket)))
                try await eventually("it is written") {
                    let match = try await InspectStore(pool: harness.pool).match(Harness.match)
                    guard let note = match?.fanOut.first, note.version == 2 else { return false }
                    return match?.fanOut.count == 1 && note.coordinator == "a" && note.targeted == 3
                        && note.accepted == 2 && note.failed == ["PayloadTooLarge": 1] && note.firstMs != nil
                        && note.lastMs != nil
                }
                await harness.apns.answer(nil)
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("the next one takes its place") {
                    let note = try await InspectStore(pool: harness.pool).match(Harness.match)?.fanOut.first
                    return note?.version == 3 && note?.accepted == 3 && note?.failed == [:]
                }
            }
        }
    }
}
