import ServiceKit
import Testing

@testable import DeviceLab

@Suite struct ConfigurationTests {
    private func read(_ changes: [String: String?]) throws -> DeviceLabConfiguration {
        var environment = ["SIGHTSCREEN_STAND_INS": "1", "SIGHTSCREEN_RUN_DIR": "/tmp/ss-none"]
        for (name, value) in changes { environment[name] = value }
        return try DeviceLabConfiguration(
            try Settings(environment: environment, arguments: [], service: DeviceLabConfiguration.service))
    }

    @Test func isForThisMachineAloneUnlessItIsToldOtherwise() throws {
        let configuration = try read([:])
        #expect(configuration.host == "127.0.0.1" && configuration.port == 8_090 && configuration.names.isEmpty)
        #expect(configuration.provider == "http://127.0.0.1:2196" && configuration.apns == "http://127.0.0.1:2199")
        #expect(configuration.stages.isEmpty && configuration.runDirectory == "/tmp/ss-none")
        #expect(configuration.database == nil)
    }

    @Test func readsItsSettings() throws {
        let configuration = try read([
            "DEVICE_LAB_HOST": "0.0.0.0", "DEVICE_LAB_PORT": "0", "DEVICE_LAB_NAMES": "lab, demo.local",
            "DEVICE_LAB_PROVIDER_URL": "http://mock:8092/", "DEVICE_LAB_APNS_URL": "http://apns:2199",
            "DEVICE_LAB_STAGES": "event-bus=http://a:9090/,event-bus=http://b:9090,api-gateway=http://c:9090",
        ])
        #expect(
            configuration.host == "0.0.0.0" && configuration.port == 0 && configuration.names == ["lab", "demo.local"])
        #expect(configuration.provider == "http://mock:8092")
        #expect(
            configuration.stages == [
                "event-bus": ["http://a:9090", "http://b:9090"], "api-gateway": ["http://c:9090"],
            ])
    }

    @Test(
        arguments: [
            ("SIGHTSCREEN_STAND_INS", nil), ("SIGHTSCREEN_STAND_INS", "0"), ("DEVICE_LAB_HOST", "a b"),
            ("DEVICE_LAB_PORT", "70000"), ("DEVICE_LAB_PORT", "x"), ("DEVICE_LAB_NAMES", "http://lab"),
            ("DEVICE_LAB_NAMES", "lab:80"), ("DEVICE_LAB_PROVIDER_URL", "nowhere"), ("DEVICE_LAB_APNS_URL", "ftp://x"),
            ("DEVICE_LAB_STAGES", "event-bus"), ("DEVICE_LAB_STAGES", "bus=http://a:1"),
            ("DEVICE_LAB_STAGES", "event-bus=a:1"),
        ] as [(String, String?)]) func refusesAWrongSettingByItsName(_ name: String, _ value: String?) throws
    {
        let error = #expect(throws: ConfigurationError.self) { try read([name: value]) }
        #expect(error?.setting == name)
    }
}
