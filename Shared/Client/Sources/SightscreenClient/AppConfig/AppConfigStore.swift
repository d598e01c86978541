#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenModels

/// The configuration that the backend last returned, kept in UserDefaults.
struct AppConfigStore: Sendable {
    static let key = "appConfig"

    let store: any KeyValueStore

    var config: AppConfig? {
        store.strings(forKey: Self.key)?.first.flatMap {
            try? JSONDecoder().decode(AppConfig.self, from: Data($0.utf8))
        }
    }

    func keep(_ config: AppConfig) {
        guard let data = try? JSONEncoder().encode(config) else { return }
        store.set([String(decoding: data, as: UTF8.self)], forKey: Self.key)
    }
}
