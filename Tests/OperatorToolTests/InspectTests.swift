import ArgumentParser
import FoundationEssentials
import Postgres
import Processes
import Reactor
import Store
import TestKit
import Testing

@testable import OperatorTool

@Suite struct InspectTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private static let suspended = """
        {"matchId":"1304076","now":1000000,"phase":"suspended",
        "fixture":{"status":"2nd Innings","title":"Royals v Riders, IPL","startsAt":990000,"syncedAt":999990},
        "state":{"displayState":"suspended","version":118,"stamp":999700,"updatedAt":999700,"wentLiveAt":990000,
            "suspendedAt":999400,"isAtStumps":false},
        "hold":"pushes","leases":[{"name":"match:1304076","holder":"host/1","epoch":4,"secondsLeft":-30},
            {"name":"poll:all","holder":"poller/1","epoch":3,"secondsLeft":6}],
        "shardsHeld":60,"coordinators":2,
        "shardHolders":[{"holder":"a/x1","shards":32,"secondsLeft":7},{"holder":"b/x2","shards":28,"secondsLeft":5},
            {"holder":"c/x3","shards":0,"secondsLeft":8}],
        "keyless":["la-coordinator b on h"],"followers":1000003,"followersExpired":0,"followersWithoutPhone":3,
        "capableDevices":999990,
        "activities":[{"status":"ended","endReason":"match_end","count":5},{"status":"active","count":999980}],
        "pushes":{"startsToSend":12,"startsOut":1,"startsLocal":0,"startsGivenUp":7,"renewalsDue":4,"endsOwed":2,"endsDropped":0},
        "channels":[{"environment":"production","alerts":"all","generation":2,"state":"open","activities":812000,
            "perMinute":6,"restsUntil":1000012,"ends":0,"since":999280}],
        "alertClaims":[{"version":117,"buckets":64,"channels":1,"bucketCount":64,"holders":2,"claimedAt":999700}],
        "fanOut":[{"match":"1304076","coordinator":"a","version":118,"targeted":600000,"sent":600100,"accepted":599500,
                "superseded":0,"failed":{"Unregistered":490,"TooManyRequests":10},"firstMs":12,"lastMs":7900,
                "updatedAt":999999},
            {"match":"1304076","coordinator":"b","version":118,"targeted":400000,"sent":400000,"accepted":399700,
                "superseded":0,"failed":{"Unregistered":300},"firstMs":15,"lastMs":8143,"updatedAt":999998},
            {"match":"1304076","coordinator":"c","version":117,"targeted":5,"sent":9,"accepted":4,"superseded":2,
                "failed":{},"updatedAt":999700},
            {"match":"1304076","coordinator":"d","version":117,"targeted":7,"sent":7,"accepted":7,"superseded":0,
                "failed":{},"updatedAt":999600}],
        "findings":[{"finding":"running","count":999980},{"finding":"noStartToken","count":8}],
        "withoutFollower":1,"capsCountedFor":10000}
        """

    @Test func aMatchIsShownWithWhatIsMissingAndWhy() throws {
        let match = try decode(MatchInspection.self, Self.suspended)
        let lines = InspectText.lines(of: match)
        #expect(lines.contains("match         1304076  Royals v Riders, IPL"))
        #expect(
            lines.contains(
                "channel       production, all alerts, generation 2: open, 812,000 activities, at most 6 a minute, "
                    + "rests for 12 s; 12 min ago"))
        #expect(lines.contains("phase         suspended since 1970-01-12T13:36:40Z, 10 min ago"))
        #expect(lines.contains("version       118, stamp 999700, suspended, 5 min ago"))
        #expect(lines.contains { $0.hasPrefix("hold          pushes") })
        #expect(lines.contains("lease         match:1304076: host/1, EXPIRED: nobody holds it"))
        #expect(lines.contains("lease         orchestrator: nobody has ever held it"))
        #expect(lines.contains("polled by     poller/1, group all, epoch 3, 6 s left"))
        let held = "shards        60 of 64 held by 2 la-coordinator(s): "
        let shards = try #require(lines.firstIndex { $0.hasPrefix(held) })
        #expect(
            lines[(shards + 1)...].prefix(3) == [
                "              a/x1: 32, 7 s left", "              b/x2: 28, 5 s left",
                "              c/x3: 0, 8 s left",
            ])
        #expect(lines.contains("followers     1,000,003, 3 without a phone"))
        #expect(lines.contains("activities    999,980 active, 5 ended/match_end"))
        #expect(lines.contains("starts        12 to send, 1 out, 0 left to the app, 7 given up"))
        #expect(lines.contains("renewals      4 due or out"))
        #expect(lines.contains("ends          2 owed, 0 undeliverable"))
        #expect(lines.contains("alert claims  version 117: 64 of 64 buckets, 1 channel(s), 5 min ago"))
        #expect(
            lines.contains(
                "fan-out       version 118: 1,000,000 targeted, 1,000,100 sent, 999,200 accepted, "
                    + "800 failed (Unregistered 790, TooManyRequests 10), first 12 ms, last 8.1 s; 1 s ago"))
        #expect(
            lines.contains(
                "              c is behind: version 117: 5 targeted, 9 sent, 4 accepted, none failed, 2 overtaken; "
                    + "5 min ago"))
        #expect(!lines.contains { $0.contains("d is behind") })
        var new = match
        new.state?.updatedAt = match.now - 3
        #expect(!InspectText.lines(of: new).contains { $0.contains("is behind") }, "its next write may be under way")
        #expect(lines.contains("              gone by now, with their last version: d 117"))
        #expect(lines.contains("as it is      999,980: it runs"))
        #expect(lines.contains { $0.hasPrefix("MISSING       8: no push-to-start token") })
        #expect(lines.contains { $0.hasPrefix("MISSING       3: the follower has registered no phone") })
        #expect(lines.contains { $0.hasPrefix("MISSING       a key of TOKEN_KEY_FILE: la-coordinator b on h cannot") })
        #expect(lines.contains { $0.hasPrefix("TOO MANY      1: ") })
        #expect(!lines.contains { $0.contains("nothing is missing") })
    }

    @Test func aMatchWithoutFaultSaysSo() throws {
        let json = """
            {"matchId":"7","now":1000000,"phase":"upcoming","hold":"none","leases":[],"shardsHeld":64,
            "coordinators":1,"shardHolders":[{"holder":"a/x1","shards":64,"secondsLeft":7}],"keyless":[],"followers":2,"followersExpired":1,"followersWithoutPhone":0,"capableDevices":2,
            "activities":[],"pushes":{"startsToSend":0,"startsOut":0,"startsLocal":0,"startsGivenUp":0,"renewalsDue":0,"endsOwed":0,
            "endsDropped":0},"channels":[],"alertClaims":[],"fanOut":[],"findings":[{"finding":"notLive","count":2}],"withoutFollower":0}
            """
        let lines = InspectText.lines(of: try decode(MatchInspection.self, json))
        #expect(lines.contains("match         7  not in the schedule"))
        #expect(lines.contains("version       none yet: event-bus has committed nothing"))
        #expect(lines.contains("polled by     nobody: no score-poller has had a lease within a day"))
        #expect(lines.contains("followers     2, 1 of them expired"))
        #expect(lines.contains("activities    none"))
        #expect(lines.last == "              nothing is missing")
    }

    /// What one that is gone has written does not count.
    @Test(arguments: [(nil, nil), (240_500, nil), (nil, 300_000)])
    func aMatchWhosePhonesAreBehindSaysSo(_ there: Int?, _ gone: Int?) throws {
        func progress(_ name: String, _ behindMs: Int?) -> String {
            let behind = behindMs.map { ",\"behindMs\":\($0)" } ?? ""
            return """
                {"match":"7","coordinator":"\(name)","version":41,"targeted":300,"sent":600,"accepted":1,"superseded":0,
                "failed":{},"updatedAt":999000\(behind)}
                """
        }
        let json = """
            {"matchId":"7","now":1000000,"phase":"live","hold":"none","leases":[],"shardsHeld":64,"coordinators":1,
            "shardHolders":[{"holder":"a/x1","shards":64,"secondsLeft":7}],"keyless":[],"followers":300,"followersExpired":0,
            "followersWithoutPhone":0,"capableDevices":300,"activities":[],
            "pushes":{"startsToSend":0,"startsOut":0,"startsLocal":0,"startsGivenUp":0,"renewalsDue":0,"endsOwed":0,
            "endsDropped":0},"channels":[],"alertClaims":[],
            "fanOut":[\(progress("a", there)),\(progress("b", gone))],"findings":[],"withoutFollower":0}
            """
        let last = InspectText.lines(of: try decode(MatchInspection.self, json)).last
        if there == nil {
            #expect(last == "              nothing is missing")
        } else {
            #expect(last == "BEHIND        for 4 min: 598 of 600 phones lack version 41 or one before it")
        }
    }

    @Test func ofSeveralPollGroupsAllAreShownAndWhoIsGoneIsNotSaidToPoll() throws {
        func progress(_ number: Int) -> String {
            """
            {"match":"7","coordinator":"c\(number)","version":\(100 - number),"targeted":1,"sent":1,"accepted":1,
            "superseded":0,"failed":{},"updatedAt":999000}
            """
        }
        let json = """
            {"matchId":"7","now":1000000,"phase":"live","hold":"none",
            "fixture":{"status":"1st Innings","title":"A v B, C","leagueId":3,"syncedAt":999990},
            "leases":[{"name":"poll:a","holder":"one/1","epoch":2,"secondsLeft":8},
                {"name":"poll:b","holder":"two/1","epoch":5,"secondsLeft":-600}],
            "shardsHeld":0,"coordinators":0,"shardHolders":[],"keyless":[],"followers":0,"followersExpired":0,
            "followersWithoutPhone":0,"capableDevices":0,"activities":[],
            "pushes":{"startsToSend":0,"startsOut":0,"startsLocal":0,"startsGivenUp":0,"renewalsDue":0,"endsOwed":0,
            "endsDropped":0},"channels":[],"alertClaims":[],
            "fanOut":[\((1...7).map(progress).joined(separator: ","))],"findings":[],"withoutFollower":0}
            """
        let lines = InspectText.lines(of: try decode(MatchInspection.self, json))
        #expect(lines.contains("polled by     one/1, group a, epoch 2, 8 s left"))
        #expect(lines.contains("polled by     nobody, group b: the lease of two/1 EXPIRED 10 min ago"))
        #expect(
            lines.contains("              POLL_GROUPS says which of these it is, by the match's league, which is 3"))
        #expect(!lines.contains { $0.contains("is behind") })
        let gone = lines.last { $0.contains("gone by now") }
        #expect(gone?.hasSuffix(": c1 99, c2 98, c3 97, c4 96, c5 95, 2 more") == true)
    }

    @Test func aFollowerWithoutAPhoneMissesOneWhileTheMatchIsOn() throws {
        func lines(_ phase: String) throws -> [String] {
            let json = """
                {"userId":"ben","now":1000000,"devices":[],"withoutFollow":[],"follows":[{"matchId":"7",
                "phase":"\(phase)","hold":"none","alerts":"all","createdAt":999000,"phones":[]}]}
                """
            return InspectText.lines(of: try decode(UserInspection.self, json))
        }
        #expect(try lines("suspended").last == "MISSING       no phone is registered")
        #expect(try !lines("upcoming").contains { $0.hasPrefix("MISSING") })
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000")])
    func numbersAreGrouped(_ value: Int, _ text: String) { #expect(InspectText.number(value) == text) }

    @Test func timesSayHowFarTheyAre() {
        #expect(InspectText.time(1_000_000, 1_000_119) == "1970-01-12T13:46:40Z, 119 s ago")
        #expect(InspectText.time(1_000_000, 999_880) == "1970-01-12T13:46:40Z, in 2 min")
        #expect(InspectText.time(nil, 0) == "-")
    }

    @Test(arguments: [
        ["match", "12x"], ["match"], ["match", "-1"], ["user"], ["device"], ["team", "1"], [],
        ["match", "1", "--xml"],
    ])
    func usageThatIsWrongIsRefused(_ arguments: [String]) {
        do {
            let command = try SightscreenCommand.parseAsRoot(["inspect"] + arguments)
            // Without a subcommand it shows its help.
            #expect(arguments.isEmpty && command is InspectCommand)
        } catch {
            #expect(SightscreenCommand.exitCode(for: error).rawValue == 64)
        }
    }

    // MARK: - The program

    private func run(_ arguments: [String], environment: [String: String]) async throws -> (
        status: Processes.ExitStatus, text: String
    ) {
        let folder = try TemporaryDirectory(prefix: "ss-inspect")
        let processes = ProcessTable(reactor: Reactor(name: "test-inspect"))
        let status = try await processes.run(
            Command(
                Self.binary, ["inspect"] + arguments,
                environment: environment.merging(["PATH": "/usr/bin:/bin"]) { $1 },
                output: .file(folder.appending("out"))))
        let data = FileManager.default.contents(atPath: folder.appending("out")) ?? Data()
        return (status, String(decoding: data, as: UTF8.self))
    }

    /// Beside the tests' own bundle.
    private static let binary = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "sightscreen").path

    @Test func theProgramReadsADatabase() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let pool = try PostgresPool(url: url, applicationName: "tests")
        try await pool.execute(
            """
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at)
            VALUES ('ann', 'phone', 1, 0, 'a-very-secret-token', clock_timestamp())
            """)
        try await pool.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('ann', 42)")
        await pool.close()
        let environment = ["DATABASE_URL": url]

        let user = try await run(["user", "ann"], environment: environment)
        #expect(user.status == .exited(0))
        #expect(user.text.contains("phone: should not run, has nothing: the match is not in play"))
        let fallback = try PostgresPool(url: url, applicationName: "tests")
        try await fallback.execute(
            "UPDATE devices SET fallback_step = 'silent', fallback_push = 'sent', fallback_at = clock_timestamp()")
        await fallback.close()
        let text = try await run(["device", "phone"], environment: environment).text
        #expect(text.contains("does not answer to starts: step silent, its push has left, "))
        let device = try await run(["device", "phone", "--json", "--database", url], environment: [:])
        #expect(device.status == .exited(0))
        #expect(device.text.hasPrefix("{\"deviceId\":\"phone\""))
        #expect(!(user.text + device.text).contains("secret"))
        let match = try await run(["match", "42"], environment: environment)
        #expect(match.status == .exited(0))

        for (kind, id) in [("match", "43"), ("user", "bob"), ("device", "pad")] {
            let unknown = try await run([kind, id], environment: environment)
            #expect(unknown.status == .exited(1))
            #expect(unknown.text == "sightscreen: nothing is known of \(kind) \(id)\n")
        }
        #expect(try await run(["match", "4x"], environment: environment).status == .exited(64))
        let nowhere = ["SIGHTSCREEN_STATE_DIR": "/nonexistent"]
        #expect(try await run(["match", "42"], environment: nowhere).status == .exited(78))
        // A line that is left empty in a file of settings.
        let blank = try await run(["match", "42"], environment: nowhere.merging(["DATABASE_URL": ""]) { $1 })
        #expect(blank.status == .exited(78))
    }
    @Test func aRunOfUpNeedsNoDatabaseAndKnowsNames() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        let pool = try PostgresPool(url: url, applicationName: "tests")
        let asha = try DevelopmentIdentity.subject(of: "asha")
        try await pool.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('\(asha)', 42)")
        await pool.close()
        let folder = try TemporaryDirectory(prefix: "ss-inspect")
        let endpoints = Endpoints(
            gateway: "", issuer: "", apnsControl: "", provider: "", apns: "", apnsManagement: "", databaseURL: url,
            runDirectory: "",
            secrets: "", logs: "", health: [:])
        try JSONEncoder().encode(endpoints).write(to: URL(filePath: folder.appending("endpoints.json")))
        let environment = ["SIGHTSCREEN_STATE_DIR": "\(folder.path)"]

        let user = try await run(["user", "asha"], environment: environment)
        #expect(user.status == .exited(0))
        #expect(user.text.contains("user          \(asha)\n"))
        #expect(user.text.contains("this is the run of sightscreen up in \(folder.path)\n"))
        // Of a database that was named, an id is an id.
        let named = try await run(["user", "asha"], environment: environment.merging(["DATABASE_URL": url]) { $1 })
        #expect(named.status == .exited(1))
    }
}
