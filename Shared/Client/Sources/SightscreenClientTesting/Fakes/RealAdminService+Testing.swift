public import SightscreenClient

extension RealAdminService {
    /// Creates the service for tests. An app has no initialiser in a release build; tests have this one in every build.
    public static func testing(_ api: SightscreenAPI, keptIn store: any KeyValueStore) -> RealAdminService {
        RealAdminService(api, FakeModeSwitch(keptIn: store))
    }
}
