import FoundationEssentials
import Glibc
import HTTPClient
import OperatorTool
import Postgres
import Processes
import SightscreenModels
import TestKit
import Testing
import Tokens

/// The keys of push tokens on the whole system: which process can read them, and what PostgreSQL's log shows of tokens.
@Suite struct TokenKeyTests {
    private static let readers = ["api-gateway", "la-coordinator"]

    /// Runs `sightscreen secrets rotate` with a key file.
    private static func rotate(_ file: String, _ suite: RunningSuite) async throws -> (Processes.ExitStatus, String) {
        try await withTemporaryDirectory { folder in
            let log = folder.appending("rotate")
            let status = try await RunningSuite.processes.run(
                Command(
                    "\(RunningSuite.binaries)/sightscreen", ["secrets", "rotate"],
                    environment: [
                        "DATABASE_URL": suite.endpoints.databaseURL, "TOKEN_KEY_FILE": file,
                        "SIGHTSCREEN_STAND_INS": "1",
                    ], output: .file(log)))
            return (status, text(log))
        }
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Writes beside the file and renames, as Kubernetes replaces a mounted secret.
    private static func replace(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path).new"))
        chmod("\(path).new", 0o600)
        guard rename("\(path).new", path) == 0 else { throw ProcessError("\(path) cannot be replaced") }
    }

    private static func ready(_ service: String, _ suite: RunningSuite) async throws -> HTTPClientResponse {
        try await suite.http.send(
            .init(url: "\(suite.endpoints.health[service] ?? "")/health/ready", timeout: .seconds(2)))
    }

    @Test(.timeLimit(.minutes(5))) func aKeyIsNotChangedBeforeEveryProcessCanReadIt() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            let phone = try ManualPhone("asha", suite)
            try await phone.register()
            // Each of the five services has its row.
            try await eventually("five processes have a row") {
                try await suite.database.query("SELECT DISTINCT service FROM processes").count == 5
            }
            let rows = try await suite.database.query(
                "SELECT service, secrets::text AS secrets, token_keys IS NOT NULL AS reads FROM processes")
            for row in rows {
                let service = try row.string("service")
                #expect(try row.bool("reads") == Self.readers.contains(service), "\(service)")
                let names = try row.string("secrets")
                switch service {
                case "la-coordinator": #expect(names.contains("APNS_KEY_FILE"))
                case "score-poller", "orchestrator": #expect(names.contains("SPORTMONKS_API_TOKEN"))
                default: break
                }
            }

            try await withTemporaryDirectory { folder in
                let shared = "\(suite.endpoints.secrets)/token-keys"
                let before = Self.text(shared)
                let next = folder.appending("next")
                try Self.replace(next, before + "2 \(try TokenKeys.newKey())\n")
                let (refused, line) = try await Self.rotate(next, suite)
                #expect(refused == .exited(1), "\(line)")
                #expect(line.split(separator: "\n").count == 1, "\(line)")
                for service in Self.readers { #expect(line.contains(service), "\(line)") }
                #expect(!line.contains("event-bus"))
                // Another key of the same id is not the key.
                try Self.replace(shared, before + "2 \(try TokenKeys.newKey())\n")
                try await eventually("the processes have read the file") {
                    try await suite.database.query("SELECT FROM processes WHERE array_length(token_keys, 1) = 2").count
                        == 2
                }
                #expect(try await Self.rotate(next, suite).0 == .exited(1))

                try Self.replace(shared, Self.text(next))
                try await eventually("every process can read the key", within: .seconds(10)) {
                    try await Self.rotate(next, suite).0.isSuccess
                }
                let stored = try await suite.database.query("SELECT device_token FROM devices")
                #expect(try stored.map { TokenCipher.key(of: try $0.string("device_token")) } == ["2"])
                try await phone.register(newToken: ManualPhone.hex(40))
                for service in Self.readers { #expect(try await Self.ready(service, suite).status == 200) }

                // The rows have expired, as if of other runs that died: a key begins that no process can read.
                let third = folder.appending("third")
                try Self.replace(third, Self.text(next) + "3 \(try TokenKeys.newKey())\n")
                try await eventually("the key is changed behind their backs") {
                    try await suite.database.execute(
                        "UPDATE processes SET started_at = clock_timestamp(), expires_at = clock_timestamp()")
                    return try await Self.rotate(third, suite).0.isSuccess
                }
                for service in Self.readers {
                    try await eventually("\(service) is not ready") {
                        let answer = try await Self.ready(service, suite)
                        return answer.status == 503
                            && String(decoding: answer.body, as: UTF8.self).contains("token-keys")
                    }
                    let metrics = try await suite.http.send(
                        .init(url: "\(suite.endpoints.health[service] ?? "")/metrics", timeout: .seconds(2)))
                    let text = String(decoding: metrics.body, as: UTF8.self)
                    #expect(text.contains("sightscreen_token_keys_missing 1"), "\(service)")
                }
                // One that starts with such a file ends, with a line that names the setting.
                for service in Self.readers { try await Self.expectRefusal(service, keys: next, suite, folder.path) }
                // And so does one with a file of another system.
                let other = folder.appending("other")
                try Self.replace(other, try TokenKeys.generate(id: "3"))
                for service in Self.readers { try await Self.expectRefusal(service, keys: other, suite, folder.path) }
                let (status, complaint) = try await Self.rotate(other, suite)
                #expect(status == .exited(78) && complaint.contains("TOKEN_KEY_FILE: "), "\(complaint)")

                try Self.replace(shared, Self.text(third))
                for service in Self.readers {
                    try await eventually("\(service) is ready again") {
                        try await Self.ready(service, suite).status == 200
                    }
                }
                try await phone.register(newToken: ManualPhone.hex(40))
            }
        }
    }

    private static func expectRefusal(
        _ service: String, keys: String, _ suite: RunningSuite, _ folder: String
    ) async throws {
        var environment = SettingsTests.complete(service, folder: folder)
        try SettingsTests.writeKey(to: "\(folder)/key.p8")
        environment["DATABASE_URL"] = suite.endpoints.databaseURL
        environment["TOKEN_KEY_FILE"] = keys
        environment["INSTANCE"] = "refused"
        let log = "\(folder)/log-\(UInt32.random(in: .min ... .max))"
        let status = try await RunningSuite.processes.run(
            Command("\(RunningSuite.binaries)/\(service)", environment: environment, output: .file(log)))
        let lines = text(log).split(separator: "\n")
        #expect(status == .exited(78), "\(lines)")
        #expect(lines.last?.hasPrefix("\(service): TOKEN_KEY_FILE: ") == true, "\(lines)")
        // It leaves no row behind, which would keep `rotate` from its work.
        let rows = try await suite.database.query("SELECT FROM processes WHERE instance = 'refused'")
        #expect(rows.isEmpty)
    }

    /// PostgreSQL writes the parameters of slow and of failing statements to its log.
    @Test(.timeLimit(.minutes(5))) func noTokenStandsInTheLogOfSlowStatements() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            for (name, value) in [
                ("log_min_duration_statement", "0"), ("log_parameter_max_length", "-1"),
                ("log_parameter_max_length_on_error", "-1"),
            ] {
                try await suite.database.execute("ALTER SYSTEM SET \(name) = '\(value)'")
            }
            try await suite.database.execute("SELECT pg_reload_conf()")

            let id = try await LifeTests.load(1_178_424, suite, speed: 40)
            var (phones, updateTokens) = try await ManualPhone.withCards(["asha", "ben", "chitra"], of: id, suite)
            // Asha's update token and start token rotate.
            updateTokens.append(ManualPhone.hex(32))
            try await phones[0].report(updateTokens[3], of: "asha-1", match: id)
            let newStart = ManualPhone.hex(40)
            try await phones[0].register(newToken: newStart)
            // Ben's card is dead, and Ben leaves.
            try await phones[1].loses(updateTokens[1])
            try await eventually("Ben's card has ended") {
                try await suite.database.query(
                    "SELECT FROM live_activities WHERE device_id = $1 AND status = 'ended'",
                    [.text(phones[1].device.rawValue)]
                ).count == 1
            }
            try await phones[1].unregister(by: phones[1].deviceToken)
            // Chitra's tokens are claimed by Dev.
            let dev = try ManualPhone("dev", suite)
            try await dev.claim(phones[2])
            try await dev.follow(id)
            _ = try await dev.report(updateTokens[2], of: "dev-1", match: id, expecting: [200, 202])
            try await phones[2].unfollow(id)
            try await eventually("Chitra's card has ended") { try await phones[2].end(of: updateTokens[2]) != nil }

            let log = Self.text("\(suite.endpoints.logs)/postgres.log")
            #expect(log.contains("token_key(d.device_token)"), "the statements are in the log")
            #expect(log.contains("$1 = '"), "with their parameters")
            let tokens = phones.flatMap { [$0.deviceToken, $0.startToken] } + updateTokens + [newStart]
            for token in tokens { #expect(!log.contains(token), "\(token)") }
        }
    }
}
