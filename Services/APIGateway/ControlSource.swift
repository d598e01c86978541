import Logging
import NIOConcurrencyHelpers
import ServiceKit
import ServiceLifecycle
import SightscreenModels
import Store

/// The app's config and the order to clear caches, as administrators have set them. Every replica knows a change within
/// a second; while the database does not answer, the last known state stays.
final class ControlSource: Sendable {
    private struct State {
        var control: AdminStore.Control?
        var clearedAt: Int?
    }
    /// The config from the settings. What administrators stored overrides it.
    let settings: AppConfig
    private let state = NIOLockedValueBox(State())
    private let cache: ReplyCache

    init(settings: AppConfig, cache: ReplyCache) {
        self.settings = settings
        self.cache = cache
    }

    var config: AppConfig { settings.applying(overrides) }
    var overrides: AppConfigOverrides { state.withLockedValue { $0.control?.overrides ?? AppConfigOverrides() } }
    var changedAt: Int? { state.withLockedValue { $0.control?.changedAt } }
    /// The last order to clear caches, in seconds since 1970; nil if there was none.
    var cachesClearedAt: Int? { state.withLockedValue { $0.clearedAt.map { $0 / 1_000_000 } } }

    func learn(_ control: AdminStore.Control) {
        let isOrder = state.withLockedValue { state in
            let isNew = control.cachesClearedAt != state.clearedAt
            state = State(control: control, clearedAt: control.cachesClearedAt)
            return isNew
        }
        if isOrder { cache.clear() }
    }
}

/// Reads the administrators' settings once a second.
struct ControlMonitor: Service, CustomStringConvertible {
    static let interval = Duration.seconds(1)

    let source: ControlSource
    let store: AdminStore
    let logger: Logger

    var description: String { "control monitor" }

    func run() async throws {
        await repeatUntilShutdown(pause: Self.interval) {
            // A database that does not answer is reported by `DatabaseMonitor`.
            if let control = try? await store.control() { source.learn(control) }
        }
    }
}
