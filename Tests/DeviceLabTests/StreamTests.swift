import FoundationEssentials
import HTTPClient
import PretendPhones
import SightscreenModels
import TestKit
import Testing

@testable import DeviceLab

@Suite struct StreamTests {
    private struct Phones: Decodable {
        var whole: Bool
        var phones: [LabPhoneSummary]
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ event: EventReader.Event) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(event.data.utf8))
    }

    @Test func beginsWithEverything() async throws {
        try await RunningLab.with { lab async throws in
            try await EventReader.with(lab, "/api/stream?phone=phone-2") { reader async throws in
                #expect(try await reader.next("hello").data == #"{"stream":1}"#)
                #expect(try await Self.decode(LabState.self, reader.next("lab")).phones.all == 3)
                let phones = try await Self.decode(Phones.self, reader.next("phones"))
                #expect(phones.whole && phones.phones.count == 3)
                #expect(try await Self.decode(LabPhoneState.self, reader.next("phone")).id == "phone-2")
                #expect(reader.head.contains("content-type: text/event-stream"))
                #expect(reader.head.contains("cache-control: no-store"))
            }
        }
    }

    @Test func goesOnWithWhatChanges() async throws {
        try await RunningLab.with { lab async throws in
            try await EventReader.with(lab, "/api/stream?phone=phone-1") { reader async throws in
                _ = try await reader.next("phone")
                try await lab.act("phone-1", #"{"action":"follow"}"#)
                let phones = try await Self.decode(Phones.self, reader.next("phones"))
                #expect(!phones.whole && phones.phones.map(\.id) == ["phone-1"])
                #expect(phones.phones.first?.follows == [RunningLab.match])
                #expect(try await Self.decode(LabPhoneState.self, reader.next("phone")).activities.count == 1)
            }
        }
    }

    @Test func showsAnotherPhoneWhenAsked() async throws {
        try await RunningLab.with { lab async throws in
            try await EventReader.with(lab, "/api/stream") { reader async throws in
                #expect(try await Self.decode(LabPhoneState.self, reader.next("phone")).id == "phone-1")
                #expect(try await lab.send("POST", "/api/streams/1", #"{"phone":"phone-3"}"#).status == 204)
                #expect(try await Self.decode(LabPhoneState.self, reader.next("phone")).id == "phone-3")
                #expect(try await lab.send("POST", "/api/streams/1", #"{"phone":"phone-9"}"#).status == 404)
            }
        }
    }

    @Test func aPhoneOfAnEarlierRunIsNoReasonToShowNothing() async throws {
        try await RunningLab.with { lab async throws in
            try await EventReader.with(lab, "/api/stream?phone=gone") { reader async throws in
                #expect(try await Self.decode(LabPhoneState.self, reader.next("phone")).id == "phone-1")
            }
        }
    }

    /// Five hundred changes in the time of a few updates are a few updates, the last of which has the newest.
    @Test func tellsTheNewestInFewUpdates() async throws {
        var times = EventStream.Times()
        times.interval = .milliseconds(300)
        try await RunningLab.with(times: times) { lab async throws in
            try await lab.act("phone-1", #"{"action":"follow"}"#)
            try await EventReader.with(lab, "/api/stream?phone=phone-1") { reader async throws in
                _ = try await reader.next("phone")
                let begun = ContinuousClock.now
                for version in 2...500 {
                    await lab.phones[0].take(.init(.pretend(version: version)), of: RunningLab.match)
                }
                var updates = 0
                while true {
                    let phone = try await Self.decode(LabPhoneState.self, reader.next("phone"))
                    updates += 1
                    if phone.activities.first?.content.version == 500 { break }
                }
                // One for each interval that has passed, and the ones at both ends.
                let intervals = Int((ContinuousClock.now - begun) / times.interval)
                #expect(updates <= intervals + 2, "\(updates) in \(intervals) intervals")
            }
        }
    }

    @Test func dropsWhoDoesNotRead() async throws {
        var times = EventStream.Times()
        times.interval = .milliseconds(1)
        times.patience = .seconds(1)
        try await RunningLab.with(phones: 300, times: times) { lab async throws in
            for phone in lab.phones { try await phone.perform(LabAction(.follow, matchId: RunningLab.match)) }
            try await EventReader.with(lab, "/api/stream", isSlow: true) { slow async throws in
                try await eventually("it has a stream") {
                    try await lab.send("POST", "/api/streams/1", #"{"phone":"phone-1"}"#).status == 204
                }
                try await EventReader.with(lab, "/api/stream") { reader async throws in
                    _ = try await reader.next("phone")
                    // Whole walls of news, until the one that does not read has lost its stream.
                    var version = 2
                    try await eventually("the slow one is dropped", within: .seconds(60)) {
                        for phone in lab.phones {
                            await phone.take(.init(.pretend(version: version)), of: RunningLab.match)
                        }
                        version += 1
                        return try await lab.send("POST", "/api/streams/1", #"{"phone":"phone-1"}"#).status == 404
                    }
                    // The other goes on.
                    #expect(try await lab.send("POST", "/api/streams/2", #"{"phone":"phone-999"}"#).status == 404)
                    #expect(try await lab.send("POST", "/api/streams/2", #"{"phone":"phone-5"}"#).status == 204)
                    while try await Self.decode(LabPhoneState.self, reader.next("phone")).id != "phone-5" {}
                }
                _ = slow
            }
        }
    }

    @Test func forgetsWhoHasGone() async throws {
        try await RunningLab.with { lab async throws in
            try await EventReader.with(lab, "/api/stream") { reader in _ = try await reader.next("phone") }
            try await eventually("its stream is gone") {
                await lab.phones[0].notify(title: "a", body: "b")
                return try await lab.send("POST", "/api/streams/1", #"{"phone":"phone-1"}"#).status == 404
            }
        }
    }

    @Test func endsWithTheLab() async throws {
        try await RunningLab.with { lab async throws in
            // Still open when the lab is asked to stop; with a stream that goes on it would never end.
            let reader = try await EventReader.open(lab, "/api/stream")
            _ = try await reader.next("phone")
        }
    }
}
