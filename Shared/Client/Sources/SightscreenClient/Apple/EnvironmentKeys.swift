// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    public import SwiftUI

    // Every service in SwiftUI's environment. A service that the app has not set is a fake, which is what previews need.
    // An app that forgot one would show invented scores: `MissingServices` says so in the log. It cannot end the app here,
    // because SwiftUI reads a default also where a value replaces it at once.

    extension EnvironmentValues {
        public var authService: any AuthService {
            get { self[AuthServiceKey.self] }
            set {
                MissingServices.shared.isSet("authService")
                self[AuthServiceKey.self] = newValue
            }
        }

        public var liveActivityService: any LiveActivityService {
            get { self[LiveActivityServiceKey.self] }
            set {
                MissingServices.shared.isSet("liveActivityService")
                self[LiveActivityServiceKey.self] = newValue
            }
        }

        public var notificationService: any NotificationService {
            get { self[NotificationServiceKey.self] }
            set {
                MissingServices.shared.isSet("notificationService")
                self[NotificationServiceKey.self] = newValue
            }
        }

        public var scheduleService: any ScheduleService {
            get { self[ScheduleServiceKey.self] }
            set {
                MissingServices.shared.isSet("scheduleService")
                self[ScheduleServiceKey.self] = newValue
            }
        }

        public var appConfigService: any AppConfigService {
            get { self[AppConfigServiceKey.self] }
            set {
                MissingServices.shared.isSet("appConfigService")
                self[AppConfigServiceKey.self] = newValue
            }
        }

        public var imageCacheService: any ImageCacheService {
            get { self[ImageCacheServiceKey.self] }
            set {
                MissingServices.shared.isSet("imageCacheService")
                self[ImageCacheServiceKey.self] = newValue
            }
        }

        public var matchCacheStore: any MatchCacheStore {
            get { self[MatchCacheStoreKey.self] }
            set {
                MissingServices.shared.isSet("matchCacheStore")
                self[MatchCacheStoreKey.self] = newValue
            }
        }

        #if DEBUG
            public var adminService: any AdminService {
                get { self[AdminServiceKey.self] }
                set {
                    MissingServices.shared.isSet("adminService")
                    self[AdminServiceKey.self] = newValue
                }
            }
        #endif
    }

    private struct AuthServiceKey: EnvironmentKey {
        static let defaultValue: any AuthService = fake("authService") { FakeAuthService() }
    }

    private struct LiveActivityServiceKey: EnvironmentKey {
        static let defaultValue: any LiveActivityService = fake("liveActivityService") { FakeLiveActivityService() }
    }

    private struct NotificationServiceKey: EnvironmentKey {
        static let defaultValue: any NotificationService = fake("notificationService") { FakeNotificationService() }
    }

    private struct ScheduleServiceKey: EnvironmentKey {
        static let defaultValue: any ScheduleService = fake("scheduleService") { FakeScheduleService() }
    }

    private struct AppConfigServiceKey: EnvironmentKey {
        static let defaultValue: any AppConfigService = fake("appConfigService") { FakeAppConfigService() }
    }

    private struct ImageCacheServiceKey: EnvironmentKey {
        static let defaultValue: any ImageCacheService = fake("imageCacheService") { FakeImageCacheService() }
    }

    private struct MatchCacheStoreKey: EnvironmentKey {
        static let defaultValue: any MatchCacheStore = fake("matchCacheStore") { InMemoryMatchCacheStore() }
    }

    #if DEBUG
        private struct AdminServiceKey: EnvironmentKey {
            static let defaultValue: any AdminService = fake("adminService") { FakeAdminService() }
        }
    #endif

    private func fake<Service: Sendable>(_ name: String, _ make: @MainActor () -> Service) -> Service {
        MissingServices.shared.isRead(name)
        // Only views read the environment, and they do so on the main actor.
        return MainActor.assumeIsolated { make() }
    }
#endif
