// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    public import SwiftUI

    // Every service in SwiftUI's environment. A service that the app has not set is a fake, which is what previews need.
    // An app that forgot one would show invented scores: `MissingServices` says so in the log. It cannot end the app here,
    // because SwiftUI reads a default also where a value replaces it at once.

    extension EnvironmentValues {
        public var authService: any AuthService {
            get { self[AuthServiceKey.self] }
            set { replace(AuthServiceKey.self, by: newValue) }
        }

        public var liveActivityService: any LiveActivityService {
            get { self[LiveActivityServiceKey.self] }
            set { replace(LiveActivityServiceKey.self, by: newValue) }
        }

        public var notificationService: any NotificationService {
            get { self[NotificationServiceKey.self] }
            set { replace(NotificationServiceKey.self, by: newValue) }
        }

        public var scheduleService: any ScheduleService {
            get { self[ScheduleServiceKey.self] }
            set { replace(ScheduleServiceKey.self, by: newValue) }
        }

        public var appConfigService: any AppConfigService {
            get { self[AppConfigServiceKey.self] }
            set { replace(AppConfigServiceKey.self, by: newValue) }
        }

        public var imageCacheService: any ImageCacheService {
            get { self[ImageCacheServiceKey.self] }
            set { replace(ImageCacheServiceKey.self, by: newValue) }
        }

        public var matchCacheStore: any MatchCacheStore {
            get { self[MatchCacheStoreKey.self] }
            set { replace(MatchCacheStoreKey.self, by: newValue) }
        }

        #if DEBUG
            public var adminService: any AdminService {
                get { self[AdminServiceKey.self] }
                set { replace(AdminServiceKey.self, by: newValue) }
            }
        #endif
    }

    extension EnvironmentValues {
        fileprivate mutating func replace<Key: EnvironmentKey>(_ key: Key.Type, by service: Key.Value) {
            MissingServices.shared.isSet("\(key)")
            self[key] = service
        }
    }

    private struct AuthServiceKey: EnvironmentKey {
        static let defaultValue: any AuthService = fake(AuthServiceKey.self) { FakeAuthService() }
    }

    private struct LiveActivityServiceKey: EnvironmentKey {
        static let defaultValue: any LiveActivityService = fake(LiveActivityServiceKey.self) {
            FakeLiveActivityService()
        }
    }

    private struct NotificationServiceKey: EnvironmentKey {
        static let defaultValue: any NotificationService = fake(NotificationServiceKey.self) {
            FakeNotificationService()
        }
    }

    private struct ScheduleServiceKey: EnvironmentKey {
        static let defaultValue: any ScheduleService = fake(ScheduleServiceKey.self) { FakeScheduleService() }
    }

    private struct AppConfigServiceKey: EnvironmentKey {
        static let defaultValue: any AppConfigService = fake(AppConfigServiceKey.self) { FakeAppConfigService() }
    }

    private struct ImageCacheServiceKey: EnvironmentKey {
        static let defaultValue: any ImageCacheService = fake(ImageCacheServiceKey.self) { FakeImageCacheService() }
    }

    private struct MatchCacheStoreKey: EnvironmentKey {
        static let defaultValue: any MatchCacheStore = fake(MatchCacheStoreKey.self) { InMemoryMatchCacheStore() }
    }

    #if DEBUG
        private struct AdminServiceKey: EnvironmentKey {
            static let defaultValue: any AdminService = fake(AdminServiceKey.self) { FakeAdminService() }
        }
    #endif

    private func fake<Key: EnvironmentKey, Service: Sendable>(
        _ key: Key.Type, _ make: @MainActor () -> Service
    ) -> Service {
        MissingServices.shared.isRead("\(key)")
        // Only views read the environment, and they do so on the main actor.
        return MainActor.assumeIsolated { make() }
    }
#endif
