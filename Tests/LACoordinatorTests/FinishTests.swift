import APNsProtocol
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct FinishTests {
    /// What is claimed may take long, on a busy machine, too.
    private static let patient = LACoordinator.Timing(auditInterval: .seconds(60), drainMax: .seconds(60))

    /// Nobody else may tell what it has claimed, and its leases outlast it. All alerts are one claim here.
    @Test func aStoppingCoordinatorSendsWhatItHasClaimed() async throws {
        try await Harness.with(streamsMax: 1) { harness in
            let users = (0..<12).map { "user\($0)" }
            let valve = Valve(1)
            try await harness.coordinate(
                settings: ["PUSH_THREADS": "1"], timing: Self.patient, trust: .seconds(2)
            ) { coordinator in
                for user in users {
                    try await harness.follow(user)
                    try await harness.activate(user)
                }
                for user in users {
                    try await eventually("\(user) is brought up to date") { await harness.updates(user).count == 1 }
                }
                await harness.apns.answer(through: valve)
                _ = try await harness.commit(alert: .wicket)
                coordinator.activitiesChanged()
                try await eventually("it is on its way") {
                    await harness.apns.pushes.contains { $0.event == "update" && $0.alert != nil }
                }
                Task {
                    // Longer than what it knew of its leases when it was asked to stop.
                    try await Task.sleep(for: .seconds(3))
                    await valve.open()
                }
            }
            // A phone may have been started before its registration came: a start has an alert always.
            let told = await harness.apns.pushes.filter { $0.event == "update" && $0.alert != nil }
            #expect(told.count == 12 && Set(told.map(\.token)).count == 12)
        }
    }

    /// APNs wants it to be left alone for some seconds, which are left.
    @Test func aStoppingCoordinatorSendsTheAlertToAPhoneThatWasRefusedIt() async throws {
        try await Harness.with { harness in
            try await harness.coordinate(timing: Self.patient, trust: .seconds(2)) { coordinator in
                try await harness.follow("user")
                try await harness.activate("user")
                try await eventually("it is brought up to date") { await harness.updates("user").count == 1 }
                await harness.apns.answer { push, count in
                    push.event == "update" && push.alert != nil && count == 2
                        ? StubAPNs.refusal(.tooManyRequests) : StubAPNs.accepted
                }
                _ = try await harness.commit(alert: .wicket)
                coordinator.activitiesChanged()
                try await eventually("it is refused") { await harness.updates("user").count == 2 }
            }
            #expect(await harness.updates("user").map { $0.alert != nil } == [false, true, true])
        }
    }
}
