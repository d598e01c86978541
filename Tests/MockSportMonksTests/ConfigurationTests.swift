import MockSportMonks
import ServiceKit
import Tapes
import Testing

@Suite struct ConfigurationTests {
    private func read(_ changes: [String: String?]) throws -> MockSportMonksConfiguration {
        var environment = [
            "SIGHTSCREEN_STAND_INS": "1", "SIGHTSCREEN_RUN_DIR": "/tmp/ss-none",
            "MOCK_SPORTMONKS_TAPES": RunningMock.tapes, "MOCK_SPORTMONKS_TOKEN": "t",
        ]
        for (name, value) in changes { environment[name] = value }
        return try MockSportMonksConfiguration(
            try Settings(environment: environment, arguments: [], service: MockSportMonksConfiguration.service))
    }

    @Test func readsItsSettings() throws {
        let configuration = try read([
            "MOCK_SPORTMONKS_PORT": "0", "MOCK_SPORTMONKS_LOAD": "1304076", "MOCK_SPORTMONKS_SPEED": "2.5",
            "MOCK_SPORTMONKS_LEAD": "1m30s", "MOCK_SPORTMONKS_HOURLY_LIMIT": "2000",
            "MOCK_SPORTMONKS_VARIANT": "late-result", "MOCK_SPORTMONKS_SEED": "12",
        ])
        #expect(configuration.variant == .lateResult && configuration.seed == 12)
        #expect(configuration.port == 0 && configuration.load == "1304076" && configuration.speed == 2.5)
        #expect(configuration.lead == .seconds(90) && configuration.hourlyLimit == 2_000)
        #expect(configuration.runDirectory == "/tmp/ss-none")
        #expect(try read([:]).port == 2_196)
    }

    @Test(
        arguments: [
            ("SIGHTSCREEN_STAND_INS", nil), ("MOCK_SPORTMONKS_TAPES", nil), ("MOCK_SPORTMONKS_TAPES", "/nonexistent"),
            ("MOCK_SPORTMONKS_TOKEN", nil), ("MOCK_SPORTMONKS_PORT", "70000"), ("MOCK_SPORTMONKS_SPEED", "fast"),
            ("MOCK_SPORTMONKS_SPEED", "0"), ("MOCK_SPORTMONKS_SPEED", "nan"), ("MOCK_SPORTMONKS_LEAD", "-1s"),
            ("MOCK_SPORTMONKS_LOAD", "7"), ("MOCK_SPORTMONKS_VARIANT", "wild"), ("MOCK_SPORTMONKS_SEED", "-1"),
            ("MOCK_SPORTMONKS_HOURLY_LIMIT", "x"),
        ] as [(String, String?)]) func refusesAWrongSettingByItsName(_ name: String, _ value: String?) throws
    {
        let error = #expect(throws: ConfigurationError.self) { try read([name: value]) }
        #expect(error?.setting == name)
    }
}
