// The code of Shared/Client/docs/add-to-your-app.md for debug builds that uses none of Apple's frameworks.
// `AddToYourAppTests` compares it with the page.
import Observation
import SightscreenClient
import SightscreenModels

extension AppPorts {
    /// Returns the ports for the fake API, with the same phone and the same session, in a debug build. Its follows,
    /// matches and versions are kept apart from the gateway's.
    func onFakeAPI(_ gateway: any APITransport, store: any KeyValueStore, matchFiles: any FileStore) -> AppPorts {
        var ports = self
        (ports.gateway, ports.store, ports.matchFiles) = (gateway, store, matchFiles)
        return ports
    }
}

/// The debug menu's functions, and the services that it replaces.
@MainActor
@Observable
final class DebugMenu {
    private(set) var services: AppServices
    private(set) var admin: any AdminService
    @ObservationIgnored private let make: @MainActor () -> (AppServices, any AdminService)
    @ObservationIgnored private var isChanging = false

    init(_ ports: AppPorts, fakeAPI: AppPorts) {
        let mode = FakeModeSwitch(store: ports.store)
        make = {
            let services = AppServices(mode.isOn ? fakeAPI : ports)
            let api = SightscreenAPI(transport: fakeAPI.gateway, session: services.auth, clock: ports.clock)
            return (services, RealAdminService(api: api, fakeMode: mode))
        }
        (services, admin) = make()
    }

    /// Switches the backend. Its services are new, so the app begins with its launch.
    func setUsesFakeAPI(_ isOn: Bool) async {
        guard !isChanging, isOn != admin.usesFakeAPI else { return }
        isChanging = true
        defer { isChanging = false }
        await services.close()
        admin.setUsesFakeAPI(isOn)
        (services, admin) = make()
    }

    /// Plays a recorded match at forty times its speed. Every user of the fake API sees it.
    func playATape() async throws {
        await setUsesFakeAPI(true)
        guard let tape = try await admin.tapes().first else { return }
        let replay = try await admin.play(ReplayOrder(tapeId: tape.tapeId, speed: 40))
        try await admin.control(replay.matchId, .seekToBall("S2 5.1"))
    }
}
