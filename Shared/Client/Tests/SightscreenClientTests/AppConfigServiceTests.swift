@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Testing

/// The version check, forced updates and maintenance.
@MainActor
@Suite struct AppConfigServiceTests {
    private static let storeURL = "https://apps.apple.com/app/id1"

    private static func config(
        _ minimum: String = "1.0.0", maintenance: Bool = false, message: String? = nil
    ) -> AppConfig {
        AppConfig(
            minAppVersion: minimum, storeUrl: storeURL, maintenanceMode: maintenance, maintenanceMessage: message)
    }

    private static func profile(_ version: String?, platform: String = "ios") -> DeviceProfile {
        DeviceProfile(deviceID: DeviceID("phone"), platform: platform, appVersion: version)
    }

    /// The app's version is compared with the backend's minimum.
    @Test(arguments: [
        ("1.0.0", "1.0.0", false), ("0.9.9", "1.0.0", true), ("1.9", "1.10", true), ("2", "1.99.99", false),
        ("1.0", "1", false), ("2.4.0-beta1", "2.4.1", true), ("2.4.1-beta1", "2.4.1", false), ("", "0.0.1", true),
    ])
    func theLocalVersionIsComparedWithTheLeastOne(version: String, minimum: String, isBelow: Bool) async throws {
        let gateway = ConfigGateway(Self.config(minimum))
        let service = RealAppConfigService(
            transport: gateway, store: InMemoryKeyValueStore(), profile: Self.profile(version))
        let expected = isBelow ? AppGate.updateRequired(minimum: minimum, storeURL: Self.storeURL) : .open
        #expect(try await service.check() == expected)
        #expect(service.gate == expected)
    }

    /// The backend can also force an update itself, and the prompt has the store's address.
    @Test func theBackendCanForceAnUpdate() async throws {
        var config = Self.config("9.0")
        config.updateRequired = true
        let service = RealAppConfigService(
            transport: ConfigGateway(config), store: InMemoryKeyValueStore(), profile: Self.profile(nil))
        #expect(try await service.check() == .updateRequired(minimum: "9.0", storeURL: Self.storeURL))
    }

    @Test func maintenanceIsReportedWithItsMessage() async throws {
        let gateway = ConfigGateway(Self.config(maintenance: true, message: "Back at 10."))
        let service = RealAppConfigService(
            transport: gateway, store: InMemoryKeyValueStore(), profile: Self.profile("1.0.0"))
        #expect(try await service.check() == .maintenance(message: "Back at 10."))
        await gateway.say(Self.config())
        #expect(try await service.check() == .open)
    }

    /// The user can update during maintenance, too.
    @Test func aForcedUpdateComesBeforeMaintenance() {
        let config = Self.config("2.0", maintenance: true)
        #expect(
            AppGate(config, version: "1.0", isFresh: true)
                == .updateRequired(minimum: "2.0", storeURL: Self.storeURL))
    }

    /// Without a network the last known configuration is used: a version that was too old still is, while maintenance
    /// may be over.
    @Test func theLastKnownConfigCountsWithoutANetwork() async throws {
        let store = InMemoryKeyValueStore()
        let gateway = ConfigGateway(Self.config("2.0", maintenance: true, message: "Back at 10."))
        let first = RealAppConfigService(transport: gateway, store: store, profile: Self.profile("2.0"))
        #expect(try await first.check() == .maintenance(message: "Back at 10."))
        #expect(first.isFresh)
        await gateway.fail(.transport(.offline))
        #expect(try await first.check() == .open)
        #expect(!first.isFresh)
        let old = RealAppConfigService(transport: gateway, store: store, profile: Self.profile("1.9"))
        #expect(old.config?.minAppVersion == "2.0")
        #expect(try await old.check() == .updateRequired(minimum: "2.0", storeURL: Self.storeURL))
        // The app was updated without a call to the backend since.
        let new = RealAppConfigService(transport: gateway, store: store, profile: Self.profile("2.0.1"))
        #expect(try await new.check() == .open)
    }

    /// The backend's answer for another version is not used.
    @Test func anAnswerIsForTheVersionThatAsked() async throws {
        let store = InMemoryKeyValueStore()
        var config = Self.config("2.0")
        config.updateRequired = true
        let gateway = ConfigGateway(config)
        try await RealAppConfigService(transport: gateway, store: store, profile: Self.profile("1.0")).check()
        await gateway.fail(.transport(.timeout))
        let updated = RealAppConfigService(transport: gateway, store: store, profile: Self.profile("2.0"))
        #expect(try await updated.check() == .open)
    }

    @Test(arguments: [
        ConfigGateway.Failure.transport(.offline), .transport(.timeout), .status(503), .status(400), .body("<html>"),
    ])
    func whatIsNotKnownIsAnError(failure: ConfigGateway.Failure) async throws {
        let gateway = ConfigGateway(Self.config())
        await gateway.fail(failure)
        let service = RealAppConfigService(
            transport: gateway, store: InMemoryKeyValueStore(), profile: Self.profile("1.0.0"))
        await #expect(throws: APIError.self) { try await service.check() }
        #expect(service.config == nil)
    }

    nonisolated static let profiles: [(version: String?, platform: String, path: String)] = [
        ("2.4.0", "ios", "/app/config?platform=ios&version=2.4.0"),
        ("2.4", "ipados", "/app/config?platform=ipados&version=2.4"),
        ("2.4.0-beta", "ios", "/app/config?platform=ios"), ("1.2.3.4", "ios", "/app/config?platform=ios"),
        ("1..2", "visionos", "/app/config"), ("", "ios", "/app/config?platform=ios"),
        ("1234567", "ios", "/app/config?platform=ios"), (nil, "ios", "/app/config?platform=ios"),
    ]

    /// The gateway refuses other forms with 400.
    @Test(arguments: profiles)
    func theAppSaysWhatItIs(version: String?, platform: String, path: String) throws {
        #expect(RealAppConfigService.path(Self.profile(version, platform: platform)) == path)
        let contract = try OpenAPIContract.served()
        let bare = String(path.prefix { $0 != "?" })
        let operation = try #require(contract.operation("GET", bare))
        #expect(contract.fault(in: nil, of: operation) == nil)
    }

    /// The check comes before a sign-in.
    @Test func theCheckNeedsNoToken() async throws {
        let gateway = ConfigGateway(Self.config())
        try await RealAppConfigService(
            transport: gateway, store: InMemoryKeyValueStore(), profile: Self.profile("1.0.0")
        ).check()
        #expect(await gateway.requests.map(\.headers["authorization"]) == [nil])
    }
}
