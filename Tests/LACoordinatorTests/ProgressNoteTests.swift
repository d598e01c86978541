import OperatorTool
import APNsProtocol
import HTTP2
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

    @Test func theDatabaseSaysSinceWhenPhonesAreBehind() async throws {
        try await Harness.with { harness in
            try await harness.crowd(300)
            let timing = LACoordinator.Timing(auditInterval: .seconds(60), newFor: .zero)
            func behindMs() async throws -> Int? {
                try await InspectStore(pool: harness.pool).match(Harness.match)?.fanOut.first?.behindMs
            }
            try await harness.coordinate(timing: timing) { coordinator in
                try await eventually("they are there") { await coordinator.phones() == 300 }
                await harness.apns.answer { _, _ in .silence }
                // It was committed 90 s ago; the next one does not make it younger.
                for age: Int64 in [90, 0] {
                    // The log is read at any moment, so the message comes before the row is there.
                    let update = try await harness.commit { update in
                        var update = update
                        update.committedAtMs = update.committedAtMs.map { $0 - age * 1_000 }
                        await coordinator.matchUpdated(MatchUpdated(update: update))
                    }
                    try await eventually("it is written") {
                        let match = try await InspectStore(pool: harness.pool).match(Harness.match)
                        return match?.fanOut.first?.version == update.version.rawValue
                    }
                    #expect((90_000..<150_000).contains(try #require(try await behindMs())))
                }
                await harness.apns.answer(nil)
                try await eventually("they are not behind any more", within: .seconds(30)) {
                    try await behindMs() == nil
                }
            }
        }
    }
}
