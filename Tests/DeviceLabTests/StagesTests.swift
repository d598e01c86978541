import FoundationEssentials
import HTTPClient
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import DeviceLab

@Suite struct StagesTests {
    @Test func addsUpMetrics() {
        let metrics = MetricsText(
            """
            # HELP a Something.
            a{outcome="accepted",kind="x"} 3
            a{outcome="token_dead"} 1.5
            b 2e3
            nonsense
            c{x="1"} NaN?
            """)
        #expect(metrics.sum("a") == 4.5)
        #expect(metrics.sum("a", with: #"outcome="accepted""#) == 3)
        #expect(metrics.sum("a", with: #"outcome="other""#) == 0)
        #expect(metrics.sum("b") == 2_000)
        #expect(metrics.sum("c") == nil && metrics.sum("nonsense") == nil)
    }

    @Test func tellsRatesOfTheLastSeconds() {
        var meter = RateMeter()
        #expect(meter.rate(of: "x", 0, at: 0) == nil)
        #expect(meter.rate(of: "x", 10, at: 1) == 10)
        for second in 2...20 { _ = meter.rate(of: "x", 10, at: Double(second)) }
        #expect(meter.rate(of: "x", 10, at: 21) == 0)
        // The process has started again.
        #expect(meter.rate(of: "x", 3, at: 22) == nil)
        #expect(meter.rate(of: "x", 5, at: 23) == 2)
    }

    @Test func tellsTheGrowthOfTheLastMinute() {
        var meter = RateMeter(window: 60)
        for second in 0...30 { _ = meter.growth(of: "x", Double(second / 10), at: Double(second)) }
        #expect(meter.growth(of: "x", 3, at: 31)?.value == 3)
        for second in 32...120 { _ = meter.growth(of: "x", Double(second / 10), at: Double(second)) }
        #expect(meter.growth(of: "x", 12, at: 121)?.value == 6)
    }

    @Test func aMatchHasTheChannelsOfTheDatabaseWithWhatAPNsCounted() async throws {
        try await withDatabase { pool in
            let apns = try StubHTTPServer { request in
                .init(
                    status: request.target == "/channels" ? 200 : 404,
                    body: #"[{"id":"YQ==","publishes":41},{"id":"Yg==","publishes":5}]"#)
            }
            let monitor = ChannelMonitor(
                pool: pool,
                apns: ControlPort(
                    name: "apns", base: apns.url, http: HTTPClient(configuration: .init(allowHTTP: true))))
            #expect(await monitor.look(at: [MatchID(7)]) == [:])
            try await pool.execute(
                """
                INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, per_minute,
                    rests_until, ended_at)
                VALUES (7, 'production', 0, 1, 1, 'YQ==', 6, to_timestamp(4000000000), NULL),
                    (7, 'production', 1, 2, 1, NULL, 12, to_timestamp(1), NULL),
                    (8, 'production', 2, 1, 1, 'Yw==', 12, NULL, now())
                """)
            let channels = await monitor.look(at: [MatchID(7), MatchID(8), MatchID(9)])
            let expected = [
                MatchID(7): [
                    LabChannel(
                        id: ChannelID("YQ=="), alerts: .all, state: .open, publishes: 41, lastMinute: 0,
                        perMinuteMax: 6,
                        restsUntilMs: 4_000_000_000_000),
                    LabChannel(alerts: .key, generation: 2, state: .asked),
                ],
                MatchID(8): [LabChannel(id: ChannelID("Yw=="), alerts: .none, state: .ending)],
            ]
            #expect(channels == expected)
            await pool.close()
            #expect(await monitor.look(at: [MatchID(7)]) == nil)
        }
    }

    @Test(arguments: [("1", ["pushes held"]), ("0", [])])
    func aHoldOfTheOperatorIsSeenAndNoHoldIsNot(count: String, labels: [String]) async throws {
        let metrics =
            "sightscreen_ready 1\nsightscreen_holds{level=\"pushes\"} \(count)\nsightscreen_holds{level=\"alerts\"} 0\n"
        let server = try StubHTTPServer { _ in .init(body: metrics) }
        let monitor = StageMonitor(
            addresses: StageAddresses(named: ["la-coordinator": [server.url]], runDirectory: "/nowhere"),
            apns: ControlPort(
                name: "apns", base: "http://127.0.0.1:1", http: HTTPClient(configuration: .init(allowHTTP: true))),
            http: HTTPClient(configuration: .init(allowHTTP: true)))
        let stage = await monitor.look().first { $0.name == "la-coordinator" }
        #expect(stage?.counts.map(\.label).filter { $0.hasSuffix("held") } == labels)
    }

    @Test(arguments: [
        ("127.0.0.1:9090\n", "http://127.0.0.1:9090"), ("0.0.0.0:1\n", "http://127.0.0.1:1"),
        ("::1:80", "http://[::1]:80"),
        ("[::1]:80", "http://[::1]:80"),
    ]) func readsAnAddress(_ text: String, _ url: String) {
        #expect(StageAddresses.url(text) == url)
    }

    @Test(arguments: ["", "host", "host:", "host:0", "host:70000", "host:x"]) func takesNoOtherText(_ text: String) {
        #expect(StageAddresses.url(text) == nil)
    }

    @Test func looksAtEveryProcessThatTheRunDirectoryTellsOf() async throws {
        let ready = try StubHTTPServer { _ in .init(body: "sightscreen_ready 1\nsightscreen_versions_total 4\n") }
        let waiting = try StubHTTPServer { request in
            request.target == "/metrics"
                ? .init(body: "sightscreen_ready 0\nsightscreen_versions_total 3\n")
                : .init(
                    status: 503, body: #"{"status":"not ready","missing":[{"name":"database","reason":"no answer"}]}"#)
        }
        let apns = try StubHTTPServer { _ in
            .init(body: #"{"pushes":[{"status":200,"count":5},{"status":410,"count":2}]}"#)
        }
        defer { for server in [ready, waiting, apns] { server.stop() } }
        try await withTemporaryDirectory { folder in
            func write(_ stage: String, _ name: String, _ port: Int) throws {
                let path = folder.appending(stage)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                try Data("127.0.0.1:\(port)\n".utf8).write(to: URL(filePath: "\(path)/\(name).health"))
            }
            try write("event-bus", "one", ready.port)
            try write("event-bus", "two", waiting.port)
            try write("la-coordinator", "one", waiting.port)
            try write("apns-simulator", "one", ready.port)
            // Left behind by a process that was killed.
            try write("score-poller", "gone", 1)
            let http = HTTPClient(configuration: .init(allowHTTP: true))
            let monitor = StageMonitor(
                addresses: StageAddresses(named: [:], runDirectory: folder.path),
                apns: ControlPort(name: "apns-simulator", base: apns.url, http: http), http: http)
            let stages = await monitor.look()
            #expect(stages.map(\.name) == StageKind.all.map(\.name))
            func stage(_ name: String) throws -> LabStage { try #require(stages.first { $0.name == name }) }
            let bus = try stage("event-bus")
            #expect(bus.health == .ready && bus.processes == 2 && bus.missing == ["no answer"])
            #expect(bus.counts.first == .init(label: "versions", value: 7))
            #expect(try stage("la-coordinator").health == .notReady)
            #expect(try stage("score-poller") == LabStage(name: "score-poller", health: .down))
            #expect(try stage("apns-simulator").counts.map(\.value) == [5, 2])
            let named = StageAddresses(named: ["event-bus": ["http://127.0.0.1:1"]], runDirectory: folder.path)
            #expect(named.addresses(of: "event-bus") == ["http://127.0.0.1:1"])
            #expect(named.addresses(of: "la-coordinator").isEmpty)
        }
    }
}
