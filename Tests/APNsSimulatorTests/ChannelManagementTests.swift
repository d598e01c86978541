import APNsSimulator
import FoundationEssentials
import HTTP2
import SightscreenModels
import TestKit
import Testing

/// Channels are made, read and deleted. What is refused is in the table of requests.
struct ChannelManagementTests {
    @Test func aChannelIsMadeReadListedAndDeleted() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let id = "0d5a1f3c-2b64-4f6e-9c1d-0123456789ab"
            let made = try await client.manage(
                "POST", ChannelClient.channels, ["apns-request-id": id], body: ChannelClient.body(policy: 1))
            #expect(made.status == 201)
            #expect(made.body.isEmpty)
            #expect(made.headers["apns-request-id"] == id)
            let channel = try #require(made.headers["apns-channel-id"])
            #expect(channel.count == 24)
            let read = try await client.manage("GET", ChannelClient.channels, ["apns-channel-id": channel])
            #expect(read.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
            let second = try await client.create()
            #expect(second != channel)
            #expect(
                try await client.manage("GET", ChannelClient.allChannels).body
                    == #"{"channels":["\#(channel)","\#(second)"]}"#)
            for status in [204, 404] {
                let deleted = try await client.manage("DELETE", ChannelClient.channels, ["apns-channel-id": channel])
                #expect(deleted.status == status)
            }
            #expect(
                try await client.manage("GET", ChannelClient.channels, ["apns-channel-id": channel]).reason
                    == "BadPath")
            let listed = try await apns.control("GET", "/channels").body
            #expect(
                listed
                    == #"[{"bundleID":"\#(Credentials.bundleID)","environment":"production","id":"\#(second)","policy":0,"publishes":0,"subscribers":0}]"#
            )
        }
    }

    @Test func eachEnvironmentHasItsOwnChannelsAndItsOwnCap() async throws {
        try await SimulatorUnderTest.run({ $0.channelsMax = 1 }) { apns async throws in
            let production = try await ChannelClient(apns)
            let sandbox = try await ChannelClient(apns, .sandbox)
            let channel = try await production.create()
            #expect(
                try await production.manage("POST", body: ChannelClient.body(policy: 0)).reason
                    == "CannotCreateChannelConfig")
            #expect(try await sandbox.manage("GET", ChannelClient.allChannels).body == #"{"channels":[]}"#)
            #expect(
                try await sandbox.publish(try APNsSimulatorTests.update(), to: channel).reason == "BadChannelId")
            _ = try await sandbox.create()
            // A deleted one makes room.
            _ = try await production.manage("DELETE", ChannelClient.channels, ["apns-channel-id": channel])
            _ = try await production.create()
        }
    }

    @Test func switchingTheCapabilityOffDeletesAllChannels() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let client = try await ChannelClient(apns)
            let channel = try await client.create()
            let update = try APNsSimulatorTests.update()
            #expect(try await apns.control("PUT", "/capability", #"{"enabled":false}"#).status == 204)
            for answer in [
                try await client.publish(update, to: channel),
                try await client.manage("GET", ChannelClient.allChannels),
            ] {
                #expect(answer.status == 400)
                #expect(answer.reason == "BroadcastFeatureNotEnabled")
            }
            let other = #"{"enabled":false,"reason":"FeatureNotEnabled"}"#
            #expect(try await apns.control("PUT", "/capability", other).status == 204)
            #expect(try await apns.control("GET", "/capability").body == other)
            #expect(try await client.publish(update, to: channel).reason == "FeatureNotEnabled")
            #expect(try await apns.control("PUT", "/capability", #"{"enabled":true}"#).status == 204)
            #expect(try await client.publish(update, to: channel).reason == "ChannelNotRegistered")
            #expect(try await client.manage("GET", ChannelClient.allChannels).body == #"{"channels":[]}"#)
            #expect(try await apns.control("PUT", "/capability", #"{"enabled":1}"#).status == 400)
        }
    }

    @Test func channelsSurviveARestart() async throws {
        let folder = "/tmp/apns-state-\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (made, report) = AsyncStream.makeStream(of: [String].self)
        try await SimulatorUnderTest.run({ $0.stateDirectory = folder }) { apns async throws in
            let client = try await ChannelClient(apns)
            let channels = [try await client.create(), try await client.create(policy: 1), try await client.create()]
            _ = try await client.manage("DELETE", ChannelClient.channels, ["apns-channel-id": channels[0]])
            report.yield(channels)
        }
        var channels: [String] = []
        for await made in made {
            channels = made
            break
        }
        let (deleted, live) = (channels[0], Array(channels[1...]))
        // The second restart reads what the first one has written anew.
        for _ in 1...2 {
            try await SimulatorUnderTest.run({ $0.stateDirectory = folder }) { apns async throws in
                let client = try await ChannelClient(apns)
                let listed = live.map { "\"\($0)\"" }.joined(separator: ",")
                #expect(try await client.manage("GET", ChannelClient.allChannels).body == #"{"channels":[\#(listed)]}"#)
                let update = try APNsSimulatorTests.update()
                #expect(try await client.publish(update, to: live[0], expiration: Int.max / 2).status == 400)
                #expect(try await client.publish(update, to: live[1]).status == 200)
                #expect(try await client.publish(update, to: deleted).reason == "ChannelNotRegistered")
            }
        }
    }
}
