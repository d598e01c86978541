@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Testing

/// The rows of "AppConfigService".
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

    /// Version check · Compares local app version against minimum required version from backend.
    @Test(arguments: [
        ("1.0.0", "1.0.0", false), ("0.9.9", "1.0.0", true), ("1.9", "1.10", true), ("2", "1.99.99", false),
        ("1.0", "1", false), ("2.4.0-beta1", "2.4.1", true), ("2.4.1-beta1", "2.4.1", false), ("", "0.0.1", true),
    ])
    func theLocalVersionIsComparedWithTheLeastOne(version: String, minimum: String, isBelow: Bool) async throws {
        let front = FrontDoor(Self.config(minimum))
        let service = RealAppConfigService(
            transport: front, store: InMemoryKeyValueStore(), profile: Self.profile(version))
        let expected = isBelow ? AppGate.updateRequired(minimum: minimum, storeURL: Self.storeURL) : .open
        #expect(try await service.check() == expected)
        #expect(service.gate == expected)
    }

    /// Force update · If the app is below minimum version, blocks usage and shows update prompt: the backend's word counts,
    /// too, and the prompt knows where to go.
    @Test func theBackendCanForceAnUpdate() async throws {
        var config = Self.config("9.0")
        config.updateRequired = true
        let service = RealAppConfigService(
            transport: FrontDoor(config), store: InMemoryKeyValueStore(), profile: Self.profile(nil))
        #expect(try await service.check() == .updateRequired(minimum: "9.0", storeURL: Self.storeURL))
    }

    /// Maintenance mode · If backend reports maintenance, shows a maintenance screen.
    @Test func maintenanceIsReportedWithItsMessage() async throws {
        let front = FrontDoor(Self.config(maintenance: true, message: "Back at 10."))
        let service = RealAppConfigService(
            transport: front, store: InMemoryKeyValueStore(), profile: Self.profile("1.0.0"))
        #expect(try await service.check() == .maintenance(message: "Back at 10."))
        await front.say(Self.config())
        #expect(try await service.check() == .open)
    }

    /// Who has to update can do that during a maintenance, too.
    @Test func aForcedUpdateComesBeforeMaintenance() {
        let config = Self.config("2.0", maintenance: true)
        #expect(
            AppGate(config, version: "1.0", isFresh: true)
                == .updateRequired(minimum: "2.0", storeURL: Self.storeURL))
    }

    /// Without a network the last known config counts: a version that was too old is so still, a maintenance may be over.
    @Test func theLastKnownConfigCountsWithoutANetwork() async throws {
        let store = InMemoryKeyValueStore()
        let front = FrontDoor(Self.config("2.0", maintenance: true, message: "Back at 10."))
        let first = RealAppConfigService(transport: front, store: store, profile: Self.profile("2.0"))
        #expect(try await first.check() == .maintenance(message: "Back at 10."))
        #expect(first.isFresh)
        await front.fail(.transport(.offline))
        #expect(try await first.check() == .open)
        #expect(!first.isFresh)
        let old = RealAppConfigService(transport: front, store: store, profile: Self.profile("1.9"))
        #expect(old.config?.minAppVersion == "2.0")
        #expect(try await old.check() == .updateRequired(minimum: "2.0", storeURL: Self.storeURL))
        // Updated without having spoken to the backend since.
        let new = RealAppConfigService(transport: front, store: store, profile: Self.profile("2.0.1"))
        #expect(try await new.check() == .open)
    }

    /// What the backend said of another version is not kept.
    @Test func aVerdictIsOfTheVersionThatAsked() async throws {
        let store = InMemoryKeyValueStore()
        var config = Self.config("2.0")
        config.updateRequired = true
        let front = FrontDoor(config)
        try await RealAppConfigService(transport: front, store: store, profile: Self.profile("1.0")).check()
        await front.fail(.transport(.timeout))
        let updated = RealAppConfigService(transport: front, store: store, profile: Self.profile("2.0"))
        #expect(try await updated.check() == .open)
    }

    @Test(arguments: [
        FrontDoor.Failure.transport(.offline), .transport(.timeout), .status(503), .status(400), .body("<html>"),
    ])
    func whatIsNotKnownIsAnError(failure: FrontDoor.Failure) async throws {
        let front = FrontDoor(Self.config())
        await front.fail(failure)
        let service = RealAppConfigService(
            transport: front, store: InMemoryKeyValueStore(), profile: Self.profile("1.0.0"))
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

    /// It comes before anybody is signed in.
    @Test func theCheckNeedsNoToken() async throws {
        let front = FrontDoor(Self.config())
        try await RealAppConfigService(
            transport: front, store: InMemoryKeyValueStore(), profile: Self.profile("1.0.0")
        ).check()
        #expect(await front.requests.map(\.headers["authorization"]) == [nil])
    }
}
