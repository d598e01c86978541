import LACoordinator
import ServiceKit
import TestKit
import Testing
import Tokens

@Suite struct LACoordinatorConfigurationTests {
    static func settings(_ changes: [String: String?], _ folder: TemporaryDirectory) throws -> Settings {
        let credentials = folder.appending("key.p8")
        try ES256Signer.generatePEM().write(to: credentials)
        try "no key".write(to: folder.appending("no-key.p8"))
        var environment: [String: String] = [
            "DATABASE_URL": "postgresql:///x", "APNS_KEY_FILE": credentials, "APNS_KEY_ID": "KEYID00001",
            "APNS_TEAM_ID": "TEAMID0001", "APNS_BUNDLE_ID": "dev.sightscreen.app",
            "TOKEN_KEY_FILE": TestTokenKeys.path,
        ]
        for (name, value) in changes {
            environment[name] = value.map { $0.hasPrefix("/FOLDER") ? folder.appending(String($0.dropFirst(8))) : $0 }
        }
        return try Settings(environment: environment, arguments: [], service: LACoordinatorConfiguration.service)
    }

    @Test func takesACompleteEnvironment() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        _ = try LACoordinatorConfiguration(try Self.settings([:], folder))
    }

    @Test(arguments: [
        ("APNS_KEY_FILE", nil as String?), ("APNS_KEY_FILE", "/FOLDER/missing.p8"),
        ("APNS_KEY_FILE", "/FOLDER/no-key.p8"),
        ("APNS_KEY_ID", nil), ("APNS_TEAM_ID", nil), ("APNS_TEAM_ID", "a b"), ("APNS_BUNDLE_ID", nil),
        ("APNS_BUNDLE_ID", "a/b"), ("APNS_URL", "https://push.example.com"), ("APNS_URL", "http://api.push.apple.com"),
        ("APNS_SANDBOX_URL", "https://127.0.0.1:9"), ("APNS_CA_FILE", "/FOLDER/missing.pem"),
        ("APNS_CA_FILE", "/FOLDER/no-key.p8"), ("APNS_TOKEN_MIN_AGE", "x"), ("START_LEASE", "x"), ("START_RATE", "-3"),
        ("ALERT_FRESHNESS", "x"), ("DISMISS_AFTER", "x"), ("LEASE_DURATION", "0s"), ("DATABASE_URL", nil),
        ("AUDIT_INTERVAL", "500ms"), ("AUDIT_INTERVAL", "61m"), ("TOKEN_KEY_FILE", nil),
        ("TOKEN_KEY_FILE", "/FOLDER/no-key.p8"),
    ])
    func namesTheSettingThatIsWrong(name: String, value: String?) throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let settings = try Self.settings([name: value], folder)
        let error = #expect(throws: ConfigurationError.self) { try LACoordinatorConfiguration(settings) }
        #expect(error?.setting == name)
    }
}
