import APNsSimulator
import FoundationEssentials
import HTTP2
import SightscreenModels
import TestKit
import Testing

/// Plays the requests of `Tests/Fixtures/apns/requests.ndjson`, each with the answer that Apple's documentation lets
/// expect. `make_requests.py` writes them from rules of its own.
struct RequestTableTests {
    struct Line: Decodable, Sendable {
        struct Configuration: Decodable, Equatable, Sendable {
            var policy: Int
            var pushType: String
            enum CodingKeys: String, CodingKey {
                case policy = "message-storage-policy"
                case pushType = "push-type"
            }
        }

        var world: String
        var environment: APNsEnvironment
        var port: String
        var method: String
        var path: String
        var headers: [String: String]
        var twice: String?
        var body: String
        var bytes: Int?
        var status: Int
        var reason: String?
        var timestamp: Int64?
        var answer: [String: String?]
        var json: Configuration?
        var lists: [String]?
    }

    private static let texts: [Substring] = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        return ((try? Tool.read("\(path)/Fixtures/apns/requests.ndjson")) ?? "").split(separator: "\n")
    }()
    private static let lines = texts.compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }

    @Test func thereAreEnough() {
        #expect(Self.lines.count >= 2_000)
        #expect(Self.lines.count == Self.texts.count)
        for port in ["push", "management"] {
            for environment in APNsEnvironment.allCases {
                let count = Self.lines.count { $0.port == port && $0.environment == environment }
                #expect(count > 200, "\(port) \(environment)")
            }
        }
        #expect(Self.lines.count { $0.path.hasPrefix("/4/broadcasts") } > 500)
    }

    @Test(arguments: ["usual", "off", "off, by the other name", "full", "spent"])
    func everyRequestIsAnsweredAsExpected(world: String) async throws {
        let lines = Self.lines.filter { $0.world == world }
        #expect(!lines.isEmpty)
        let change: (inout APNsSimulatorConfiguration) -> Void = { configuration in
            if world == "full" { configuration.channelsMax = RequestPlayer.channelsMade }
            if world == "spent" { (configuration.publishesPerMinute, configuration.retryAfterSeconds) = (1, 7) }
        }
        try await SimulatorUnderTest.run(change) { apns async throws in
            let player = try await RequestPlayer(apns)
            switch world {
            case "off": try await player.switchOff(reason: "BroadcastFeatureNotEnabled")
            case "off, by the other name": try await player.switchOff(reason: "FeatureNotEnabled")
            default: break
            }
            var problems: [String] = []
            for (number, line) in lines.enumerated() where problems.count < 20 {
                // A minute brings one publish back.
                if world == "spent", number % 20 == 0 { try await player.spend() }
                let found = try await player.problems(of: line)
                if !found.isEmpty {
                    problems.append("\(line.method) \(line.path) \(line.headers) \(line.body.prefix(80)): \(found)")
                }
            }
            #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        }
    }
}
