import FoundationEssentials
import TestKit

/// Health servers that say what those of a pipeline would, and a control port of an APNs that has no faults.
struct PretendPipeline {
    let apns: String
    private let servers: [StubHTTPServer]

    /// - Parameter folder: the run directory into which their addresses are written.
    init(scenario: PretendScenario, folder: String) throws {
        let counts = PretendCounts()
        counts.keep(upToDateWith: scenario)
        var servers: [StubHTTPServer] = []
        for (name, metrics) in Self.metrics {
            let server = try StubHTTPServer { _ in
                .init(body: "sightscreen_ready 1\n" + metrics(counts.versions, counts.pushes))
            }
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
            try Data("127.0.0.1:\(server.port)\n".utf8).write(to: URL(filePath: "\(folder)/\(name)/one.health"))
            servers.append(server)
        }
        let control = try StubHTTPServer { request in
            request.target == "/counts"
                ? .init(body: #"{"pushes":[{"status":200,"count":\#(counts.pushes)}]}"#) : .init(body: "[]")
        }
        self.servers = servers + [control]
        apns = control.url
    }

    private static let metrics: [(String, @Sendable (Int, Int) -> String)] = [
        ("mock-sportmonks", { _, _ in "" }),
        (
            "score-poller",
            { versions, _ in
                "sightscreen_polls_total{outcome=\"ok\"} \(versions * 3)\nsightscreen_frames_total{outcome=\"version\"} \(versions)\n"
            }
        ),
        (
            "event-bus",
            { versions, _ in
                "sightscreen_versions_total{priority=\"5\"} \(versions)\nsightscreen_events_total{kind=\"dot\"} \(versions * 2)\n"
            }
        ),
        (
            "la-coordinator",
            { _, pushes in
                "sightscreen_pushes_total{kind=\"update\",outcome=\"accepted\"} \(pushes)\nsightscreen_phones 200\n"
            }
        ),
        ("apns-simulator", { _, _ in "" }),
        ("api-gateway", { versions, _ in "sightscreen_http_requests_total{status=\"200\"} \(600 + versions)\n" }),
        (
            "orchestrator",
            { versions, _ in
                "sightscreen_orchestrator_passes_total{outcome=\"ok\"} \(versions)\nsightscreen_activities_created_total 200\n"
            }
        ),
    ]
}
