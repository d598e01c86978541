import Glibc
@testable import ServiceKit
import TestKit
import Testing

@Suite struct SettingsTests {
    static let service = ServiceDescription(
        name: "score-poller", summary: "Fetches scores.",
        settings: [
            Setting(
                "POLL_INTERVAL", default: .seconds(5), in: .milliseconds(100) ... .seconds(3_600), help: "How often."),
            Setting("SPORTMONKS_URL", default: "https://cricket.sportmonks.com/api/v2.0", help: "Where."),
            Setting("SPORTMONKS_API_TOKEN", default: nil, isSecret: true, help: "The token."),
            Setting("SPORTMONKS_HOURLY_LIMIT", default: 2_000, in: 0...9_000, help: "Calls."),
            Setting("MARQUEE_LEAGUES", default: "", help: "Ids."),
            Setting("APNS_KEY_FILE", default: nil, help: "A key."),
            Setting("APNS_CA_FILE", default: "", help: "An authority."),
        ])

    private func settings(_ environment: [String: String] = [:], _ arguments: String...) throws -> Settings {
        try Settings(environment: environment, arguments: arguments, service: Self.service)
    }

    /// The line that `read` ends with.
    private func problem(
        _ environment: [String: String] = [:], _ arguments: [String] = [], _ read: (Settings) throws -> Void = { _ in }
    ) -> String? {
        do {
            try read(try Settings(environment: environment, arguments: arguments, service: Self.service))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func putsFlagsInFrontOfTheEnvironment() throws {
        for arguments in [["--poll-interval", "2s"], ["--poll-interval=2s"]] {
            let both = try Settings(
                environment: ["POLL_INTERVAL": "9s"], arguments: arguments, service: Self.service)
            #expect(try both.duration("POLL_INTERVAL") == .seconds(2))
        }
        #expect(try settings(["POLL_INTERVAL": "9s"]).duration("POLL_INTERVAL") == .seconds(9))
        #expect(try settings().duration("POLL_INTERVAL") == .seconds(5))
        #expect(try settings(["POLL_INTERVAL": ""]).duration("POLL_INTERVAL") == .seconds(5))
    }

    @Test func readsAListWithItsCommas() throws {
        let read = try settings([:], "--marquee-leagues", "3, 5,,10")
        #expect(try read.list("MARQUEE_LEAGUES") == ["3", "5", "10"])
        #expect(try read.string("MARQUEE_LEAGUES") == "3, 5,,10")
    }

    @Test(arguments: [
        ["--poll-intervall", "2s"], ["--POLL-INTERVAL", "2s"], ["--poll_interval", "2s"], ["poll"], ["-p"],
        ["--poll-interval"],
    ])
    func refusesFlagsItDoesNotKnow(_ arguments: [String]) {
        #expect(problem([:], arguments) != nil)
    }

    @Test(arguments: [
        ("POLL_INTREVAL", "POLL_INTERVAL"), ("POL_INTERVALL", "POLL_INTERVAL"), ("APNS_CA_FIEL", "APNS_CA_FILE"),
        ("APNS_KEYFILE", "APNS_KEY_FILE"), ("SPORTMONKS_API_TOKENFILE", "SPORTMONKS_API_TOKEN_FILE"),
        ("INSTNACE", "INSTANCE"), ("SIGHTSCREEN_STANDINS", "SIGHTSCREEN_STAND_INS"),
    ])
    func refusesAVariableThatIsNearlyASetting(_ variable: String, _ setting: String) {
        #expect(
            problem([variable: "1"]) == "\(variable): is no setting of score-poller, but \(setting) is: was that meant?"
        )
        #expect(problem([variable: ""]) == nil, "an empty value counts as not set")
    }

    @Test(arguments: [
        "AWS_CA_BUNDLE", "INSTANCE_ID", "LOG_LEVELS_2", "START_LEAD", "OTEL_EXPORTER_OTLP_HEADERS", "PATH",
    ])
    func leavesOtherVariablesAlone(_ variable: String) {
        #expect(problem([variable: "1"]) == nil)
    }

    @Test func saysInOneLineWhatIsWrong() {
        #expect(
            problem(["POLL_INTERVAL": "abc"]) { _ = try $0.duration("POLL_INTERVAL") }
                == #"POLL_INTERVAL: "abc" is not a duration; write it like 5s, 2.5s or 7h45m"#)
        #expect(
            problem(["POLL_INTERVAL": "a\nb"]) { _ = try $0.duration("POLL_INTERVAL") }?
                .contains("\n") == false)
        #expect(
            problem(["POLL_INTERVAL": "2h"]) {
                _ = try $0.duration("POLL_INTERVAL")
            } == #"POLL_INTERVAL: "2h" is not between 100ms and 1h"#)
        #expect(
            problem { _ = try $0.secret("SPORTMONKS_API_TOKEN") }?.hasPrefix("SPORTMONKS_API_TOKEN: is required")
                == true)
        #expect(
            problem(["SPORTMONKS_HOURLY_LIMIT": "many"]) {
                _ = try $0.int("SPORTMONKS_HOURLY_LIMIT")
            }
                == #"SPORTMONKS_HOURLY_LIMIT: "many" is not a whole number from 0 to 9000"#)
    }

    @Test func hostsWhoseNamesDifferAtTheirEndAreDistinguished() {
        let names = ["sightscreen-production-1", "sightscreen-production-2", "host", "exactly-twenty-chars"]
        let short = names.map { RawSettings.short(Array($0.utf8)) }
        #expect(Set(short).count == names.count)
        #expect(short.allSatisfy { $0.utf8.count <= 20 })
        #expect(short[2...] == names[2...])
        #expect(short[0].hasPrefix("sightscreen-"))
    }

    @Test(arguments: [
        ("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml"), ("HEALTH_PORT", "70000"), ("INSTANCE", "a/b"),
        ("INSTANCE", String(repeating: "x", count: 33)), ("SIGHTSCREEN_STAND_INS", "perhaps"),
        ("SIGHTSCREEN_RUN_DIR", "/" + String(repeating: "x", count: 120)), ("SIGHTSCREEN_RUN_DIR", "run"),
    ])
    func checksWhatEveryServiceHasAtOnce(_ name: String, _ value: String) {
        #expect(problem([name: value])?.hasPrefix("\(name): ") == true)
    }

    @Test func leavesRoomForTheSocketsOfTheRunDirectory() throws {
        // "/" + "/score-poller/" + "a" + ".sock" and 107 bytes in all.
        let longest = "/" + String(repeating: "x", count: 107 - 1 - 14 - 1 - 5)
        #expect(try settings(["SIGHTSCREEN_RUN_DIR": longest, "INSTANCE": "a"]).runDirectory == longest)
        #expect(problem(["SIGHTSCREEN_RUN_DIR": longest + "x", "INSTANCE": "a"]) != nil)
        #expect(try settings(["XDG_RUNTIME_DIR": "/run/user/5"]).runDirectory == "/run/user/5/sightscreen")
        #expect(try settings().runDirectory == "/tmp/sightscreen-\(geteuid())")
        #expect(try settings().instance.hasSuffix("-\(getpid())"))
    }

    @Test func readsASecretFromAFileThatOnlyItsOwnersCanRead() async throws {
        try await withTemporaryDirectory { folder in
            let path = "\(folder.path)/token"
            write("s3cret\n", to: path, mode: 0o400)
            let read = try settings(["SPORTMONKS_API_TOKEN_FILE": path])
            #expect(try read.secret("SPORTMONKS_API_TOKEN").reveal() == "s3cret")
            #expect(try "\(read.secret("SPORTMONKS_API_TOKEN"))" == "***")
            var dumped = ""
            dump(try read.secret("SPORTMONKS_API_TOKEN"), to: &dumped)
            #expect(!dumped.contains("s3cret"))
            let key = try settings(["APNS_KEY_FILE": path]).secretFile("APNS_KEY_FILE")
            #expect(key.reveal() == "s3cret")

            chmod(path, 0o604)
            let open = problem(["SPORTMONKS_API_TOKEN_FILE": path]) { _ = try $0.secret("SPORTMONKS_API_TOKEN") }
            #expect(open?.hasPrefix("SPORTMONKS_API_TOKEN_FILE: ") == true)
            #expect(open?.contains("every user") == true)
            chmod(path, 0o400)
            let both = problem(["SPORTMONKS_API_TOKEN_FILE": path, "SPORTMONKS_API_TOKEN": "x"]) {
                _ = try $0.secret("SPORTMONKS_API_TOKEN")
            }
            #expect(both?.contains("set one of them") == true)
            let missing = problem(["APNS_KEY_FILE": "\(folder.path)/none"]) { _ = try $0.secretFile("APNS_KEY_FILE") }
            #expect(missing?.hasPrefix("APNS_KEY_FILE: ") == true)
            let authority = problem(["APNS_CA_FILE": "\(folder.path)/none"]) { _ = try $0.optionalFile("APNS_CA_FILE") }
            #expect(authority?.hasPrefix("APNS_CA_FILE: ") == true)
        }
    }

    @Test func aSecretOfAnotherUserOrBehindDotsIsRefused() async throws {
        try await withTemporaryDirectory { folder in
            let path = "\(folder.path)/token"
            write("s3cret\n", to: path, mode: 0o400)
            func refusal(_ path: String) -> String? {
                problem(["SPORTMONKS_API_TOKEN_FILE": path]) { _ = try $0.secret("SPORTMONKS_API_TOKEN") }
            }
            #expect(refusal(path) == nil)
            for other in ["\(folder.path)/x/../token", "/run/secrets/../..\(path)"] {
                #expect(refusal(other)?.contains("..") == true, "\(other)")
            }
            // A Kubernetes secret is behind a symbolic link to a folder whose name begins with dots.
            #expect(mkdir("\(folder.path)/..data", 0o700) == 0)
            #expect(rename(path, "\(folder.path)/..data/token") == 0)
            #expect(symlink("..data/token", path) == 0)
            #expect(refusal(path) == nil)
            // Only root can give a file away.
            guard geteuid() == 0 else { return }
            #expect(chown(path, 12_345, gid_t.max) == 0)
            #expect(refusal(path)?.contains("belongs to another user") == true)
        }
    }

    @Test(arguments: [
        "http://example.com", "ftp://example.com", "example.com", "https://", "https:///path", "https://a b.com",
        "https://user:pw@example.com", "https://example.com?x=1", "https://example.com#x", "https://example.com:0",
        "https://example.com:99999", "https://localhost", "https://127.0.0.1", "https://10.1.2.3", "https://127.1",
        "https://2130706433", "https://169.254.169.254", "https://192.168.0.1", "https://[::1]", "https://[fe80::1]",
        "https://[::ffff:127.0.0.1]", "https://db.internal", "https://db", "https://0.0.0.0", "https://100.64.0.1",
    ])
    func refusesURLsThatProductionMustNotUse(_ text: String) {
        let line = problem(["SPORTMONKS_URL": text]) { _ = try $0.url("SPORTMONKS_URL") }
        #expect(line?.hasPrefix("SPORTMONKS_URL: ") == true)
    }

    @Test func takesURLsApart() throws {
        let url = try settings(["SPORTMONKS_URL": "https://Cricket.Sportmonks.com/api/v2.0/"])
            .url("SPORTMONKS_URL")
        #expect(url.absoluteString == "https://cricket.sportmonks.com/api/v2.0")
        #expect((url.host, url.port, url.path) == ("cricket.sportmonks.com", 443, "/api/v2.0"))
        let standIns = ["SIGHTSCREEN_STAND_INS": "1"]
        func local(_ text: String) throws -> ServiceURL {
            try settings(standIns.merging(["SPORTMONKS_URL": text]) { $1 }).url("SPORTMONKS_URL")
        }
        #expect(try local("http://127.0.0.1:8089/api").origin == "http://127.0.0.1:8089")
        #expect(try local("http://127.0.0.1:8089/api").port == 8089)
        #expect(try local("http://[::1]:80").origin == "http://[::1]")
        #expect(
            try settings(["SPORTMONKS_URL": "https://8.8.8.8"]).url("SPORTMONKS_URL").host == "8.8.8.8")
    }

    @Test func checksTheShapeOfTheDatabaseURL() {
        #expect(problem(["DATABASE_URL": "not a url"]) { _ = try $0.database() }?.contains("not a url") == false)
        #expect(problem(["DATABASE_URL": "postgresql://u@/db?host=/tmp"]) { _ = try $0.database() } == nil)
        #expect(problem { _ = try $0.database() }?.hasPrefix("DATABASE_URL: is required") == true)
    }

    @Test func helpNamesEverySettingWithItsDefault() {
        let help = Self.service.help
        for setting in Self.service.settings { #expect(help.contains(setting.name)) }
        #expect(help.contains("POLL_INTERVAL (default 5s; 100ms to 1h)"))
        #expect(help.contains("SPORTMONKS_API_TOKEN or SPORTMONKS_API_TOKEN_FILE (required)"))
        #expect(help.contains("APNS_CA_FILE (optional)"))
    }

    @Test func whatIsNotGivenIsItsDefaultOrRequired() throws {
        let read = try settings()
        #expect(try read.int("SPORTMONKS_HOURLY_LIMIT") == 2_000)
        #expect(try read.url("SPORTMONKS_URL").host == "cricket.sportmonks.com")
        #expect(try read.list("MARQUEE_LEAGUES") == [])
        #expect(try read.optionalString("SPORTMONKS_URL") == nil)
        #expect(problem { _ = try $0.string("APNS_KEY_FILE") } == "APNS_KEY_FILE: is required")
    }

    @Test func settingsAreToldAsJSON() throws {
        let told = try Self.service.settingsAsJSON()
        for setting in Self.service.settings { #expect(told.contains("\"name\":\"\(setting.name)\"")) }
        #expect(told.contains("\"range\":\"100ms to 1h\""))
        #expect(told.contains("\"default\":\"5s\""))
        #expect(told.split(separator: "\"isSecret\":true").count > 1)
    }

    private func write(_ text: String, to path: String, mode: mode_t) {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        _ = Glibc.write(file, text, text.utf8.count)
        fchmod(file, mode)
        close(file)
    }
}
