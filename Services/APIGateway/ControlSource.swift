import Logging
import NIOConcurrencyHelpers
import ServiceKit
import ServiceLifecycle
import SightscreenModels
import Store

/// What administrators have set, as every replica knows it within a second: the app's config, and the order to clear
/// caches. While the database is away the last known goes on.
final class ControlSource: Sendable {
    private struct State {
        var control: AdminStore.Control?
        var clearedAt: Int?
    }

    /// What the settings say.
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
    /// Seconds since 1970.
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

/// Reads what administrators have set, once a second.
struct ControlWatch: Service, CustomStringConvertible {
    static let interval = Duration.seconds(1)

    let source: ControlSource
    let store: AdminStore
    let logger: Logger

    var description: String { "control watch" }

    func run() async throws {
        await repeatUntilShutdown(pause: Self.interval) {
            // Its absence is DatabaseWatch's to report.
            if let control = try? await store.control() { source.learn(control) }
        }
    }
}
