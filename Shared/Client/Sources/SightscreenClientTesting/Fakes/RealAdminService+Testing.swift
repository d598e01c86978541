public import SightscreenClient

extension RealAdminService {
    /// A release build has no initialiser for an app; a test has this one in every build.
    public static func testing(_ api: SightscreenAPI, keptIn store: any KeyValueStore) -> RealAdminService {
        RealAdminService(api, FakeModeSwitch(keptIn: store))
    }
}
