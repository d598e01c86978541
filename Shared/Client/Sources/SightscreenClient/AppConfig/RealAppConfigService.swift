#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import Observation
public import SightscreenModels

/// Calls `GET /app/config`, which needs no token, because it comes before everything else.
@MainActor
@Observable
public final class RealAppConfigService: AppConfigService {
    /// The limit for the call. The user looks at a launch screen meanwhile.
    public static let timeout = Duration.seconds(5)

    public private(set) var config: AppConfig?
    public private(set) var gate = AppGate.open
    public private(set) var isFresh = false

    private let transport: any APITransport
    private let configStore: AppConfigStore
    private let profile: DeviceProfile

    public init(transport: any APITransport, store: any KeyValueStore, profile: DeviceProfile) {
        self.transport = transport
        configStore = AppConfigStore(store: store)
        self.profile = profile
        config = configStore.config
    }

    @discardableResult
    public func check() async throws(APIError) -> AppGate {
        do throws(APIError) {
            let fresh = try await ask()
            config = fresh
            configStore.keep(fresh)
            isFresh = true
            gate = AppGate(fresh, version: profile.appVersion, isFresh: true)
        } catch {
            isFresh = false
            guard let config else { throw error }
            AppLogger.warning("The app's config is the last known one", error: error, category: .config)
            gate = AppGate(config, version: profile.appVersion, isFresh: false)
        }
        return gate
    }

    private func ask() async throws(APIError) -> AppConfig {
        let request = APIRequest(
            method: "GET", path: Self.path(profile), headers: ["accept": "application/json"], timeout: Self.timeout)
        let response: APIResponse
        do { response = try await transport.send(request) } catch { throw .transport(error) }
        guard response.status == 200 else { throw APIError(response) }
        do { return try JSONDecoder().decode(AppConfig.self, from: Data(response.body)) } catch {
            throw .unreadable(status: response.status)
        }
    }

    /// Returns the path of the request. The gateway accepts only these platforms, and versions of at most three
    /// numbers. A value that it would refuse is left out; the version is then compared in the app only.
    static func path(_ profile: DeviceProfile) -> String {
        var query: [String] = []
        if ["ios", "ipados"].contains(profile.platform) { query.append("platform=\(profile.platform)") }
        if let version = profile.appVersion, isPlain(version) { query.append("version=\(version)") }
        return query.isEmpty ? "/app/config" : "/app/config?" + query.joined(separator: "&")
    }

    private static func isPlain(_ version: String) -> Bool {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        return (1...3).contains(parts.count)
            && parts.allSatisfy { (1...6).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }
}
