@testable import SightscreenClientTesting
import FoundationEssentials
import SightscreenModels
import Testing

@testable import SightscreenClient

/// The rows of AdminService.
@MainActor
@Suite struct AdminServiceTests {
    let clock = SimulatedClock(now: Sample.now)
    let store = InMemoryKeyValueStore()
    let gateway = ReplayGateway(name: "gateway")
    let fakeAPI = ReplayGateway(name: "fake")

    /// - Returns: the debug menu's service, and how the app's services call.
    private func app() -> (admin: RealAdminService, api: SightscreenAPI) {
        let fakeMode = FakeModeSwitch(store: store)
        let session = FakeSession(user: Sample.user, token: "good")
        func api(_ transport: any APITransport) -> SightscreenAPI {
            SightscreenAPI(transport: transport, session: session, clock: clock, retries: .never)
        }
        let switched = SwitchedTransport(gateway: gateway, fakeAPI: fakeAPI, mode: fakeMode, clock: clock)
        return (RealAdminService(api: api(fakeAPI), fakeMode: fakeMode), api(switched))
    }

    // MARK: - Fake API controls

    @Test func fakeModeIsToggled() async throws {
        let (admin, api) = app()
        #expect(admin.mode == .off)
        _ = try await api.follows()
        admin.setUsesFakeAPI(true)
        #expect(admin.mode == .fakeAPI)
        // Services that were made before have the gateway's data, and go on with it.
        _ = try await api.follows()
        #expect(await gateway.lines.count == 2)
        let second = app()
        _ = try await second.api.follows()
        second.admin.setUsesFakeAPI(false)
        _ = try await second.api.follows()
        _ = try await app().api.follows()
        #expect(await gateway.lines.count == 3)
        #expect(await fakeAPI.lines.count == 2)
    }

    @Test func theModeSurvivesTheApp() {
        for mode in FakeMode.allCases {
            app().admin.setMode(mode)
            #expect(app().admin.mode == mode)
            #expect(FakeMode(rawValue: mode.rawValue) == mode)
        }
        store.set(["something else"], forKey: FakeModeSwitch.key)
        #expect(app().admin.mode == .off)
    }

    @Test func cannedAnswersAreSwitched() async throws {
        app().admin.setMode(.canned(.liveMatch))
        let (admin, api) = app()
        #expect(try await live(api).matches.map(\.status) == [.live])
        #expect(try await live(api).retryAfterMs == 5_000)
        admin.setMode(.canned(.closeFinish))
        #expect(try await live(api).retryAfterMs == 2_000)
        #expect(try await live(api).matches.first?.displayState?.matchSentiment == .tense)
        admin.setMode(.canned(.nothingOn))
        #expect(try await live(api) == LiveMatchesResponse(matches: [], retryAfterMs: 30_000))
        admin.setMode(.canned(.outage))
        await #expect(throws: APIError.self) { try await api.liveMatches() }
        admin.setMode(.canned(.offline))
        await #expect(throws: APIError.transport(.offline)) { try await api.liveMatches() }
        #expect(await gateway.lines.isEmpty)
        #expect(await fakeAPI.lines.isEmpty)
    }

    private func live(_ api: SightscreenAPI) async throws -> LiveMatchesResponse {
        guard case .new(let answer, _) = try await api.liveMatches() else { throw APIError.unreadable(status: 304) }
        return answer
    }

    @Test func cannedAnswersAreThoseOfAWholeApp() async throws {
        app().admin.setMode(.canned(.liveMatch))
        let api = app().api
        let match = SampleMatches.live(now: Sample.now)
        guard case .new(let day, _) = try await api.matches(on: UTCDay(at: Sample.now)) else {
            Issue.record("there is no tag")
            return
        }
        #expect(day.matches.contains(match))
        #expect(try await api.match(match.id) == match)
        #expect(try await api.follows().isEmpty)
        #expect(try await api.follow(FollowRequest(matchId: match.id)).following)
        #expect(try await api.follows().map(\.matchId) == [match.id])
        #expect(try await !api.unfollow(match.id).following)
        #expect(try await api.follows().isEmpty)
        await #expect(throws: APIError.self) { try await api.match(MatchID(7)) }
    }

    @Test(arguments: CannedScenario.allCases)
    func theAppsConfigIsCannedToo(_ scenario: CannedScenario) async throws {
        let transport = CannedTransport(clock: clock) { scenario }
        let request = APIRequest(method: "GET", path: "/app/config?platform=ios&version=2.4.0")
        switch scenario {
        case .offline:
            await #expect(throws: TransportError.offline) { try await transport.send(request) }
        case .outage: #expect(try await transport.send(request).status == 503)
        default:
            let config = try JSONDecoder().decode(AppConfig.self, from: Data(try await transport.send(request).body))
            #expect(config.maintenanceMode == (scenario == .maintenance))
            #expect(config.updateRequired == (scenario == .updateRequired))
        }
    }

    // MARK: - Tape playback

    @Test func aTapeIsPlayed() async throws {
        let admin: any AdminService = app().admin
        #expect(try await admin.tapes() == [ReplayTape(tapeId: "1304076", title: "MI v CSK")])
        let replay = try await admin.play(ReplayOrder(tapeId: "1304076", speed: 40))
        #expect(admin.replays == [replay])
        #expect(replay.playing && replay.speed == 40)
        let id = replay.matchId
        #expect(try await admin.control(id, .pause).playing == false)
        #expect(try await admin.control(id, .step).cursor == 2)
        #expect(try await admin.control(id, .seekToBall("S2 5.1")).label == "S2 5.1")
        #expect(try await admin.control(id, .seekToFrame(120)).cursor == 120)
        #expect(try await admin.control(id, .speed(2.5)).speed == 2.5)
        #expect(try await admin.control(id, .play).playing)
        #expect(admin.replays.map(\.cursor) == [120])
        #expect(try await admin.refreshReplays() == admin.replays)
        try await admin.control(id, .stop)
        #expect(admin.replays.isEmpty)
        #expect(try await admin.refreshReplays().isEmpty)
        // Whatever mode the app is in, tapes are the fake API's.
        #expect(admin.mode == .off)
        #expect(await gateway.lines.isEmpty)
    }

    @Test func whoIsNoAdministratorIsToldSo() async throws {
        await fakeAPI.setAdmin(false)
        let admin = app().admin
        let refusal = await #expect(throws: APIError.self) { try await admin.tapes() }
        #expect(refusal?.status == 403)
    }

    @Test func aLoadAndAStepAreSentOnce() async throws {
        let fakeMode = FakeModeSwitch(store: store)
        // Who repeats it waits by the real clock, and is seen to.
        let api = SightscreenAPI(
            transport: gateway, session: FakeSession(user: Sample.user, token: "good"), clock: SystemClientClock()
        ) { 0 }
        let admin = RealAdminService(api, fakeMode)
        await gateway.lose(2)
        await #expect(throws: APIError.transport(.timeout)) { try await admin.play(ReplayOrder(tapeId: "1304076")) }
        #expect(await gateway.lines.count == 1, "each load is a match of its own")
        await #expect(throws: APIError.transport(.timeout)) { try await admin.control(MatchID(1), .step) }
        #expect(await gateway.lines.count == 2)
    }

    // MARK: - Debug builds only

    /// These tests run in a release build, too, where they use initialisers that apps cannot see.
    @Test(arguments: ["RealAdminService", "FakeModeSwitch"])
    func anAppMakesOneInADebugBuildOnly(type: String) throws {
        var conditions: [String] = []
        var initialisers = 0
        for line in try Sources.lines("Shared/Client/Sources/SightscreenClient/Admin/\(type).swift") {
            let words = line.split(separator: " ").map { String($0) }
            switch words.first {
            case "#if": conditions.append(words.dropFirst().joined(separator: " "))
            case "#else": conditions[conditions.count - 1] = "not \(conditions.last ?? "")"
            case "#endif": conditions.removeLast()
            default:
                guard words.first == "public", line.contains("init(") else { continue }
                initialisers += 1
                #expect(conditions.last == "DE" + "BUG", "\(line)")
            }
        }
        #expect(initialisers == 1)
    }

    // MARK: - Data of its own

    /// What the gateway's app keeps is not seen in fake mode, nor the other way; the session is the same.
    @Test func whatIsKeptBelongsToItsBackend() throws {
        let (mode, files) = (FakeModeSwitch(store: store), InMemoryFileStore())
        let folders = ["canned": InMemoryFileStore(), "fake-api": InMemoryFileStore()]
        for (place, next) in [FakeMode.off, .fakeAPI, .canned(.liveMatch)].enumerated() {
            mode.set(next)
            let values = SwitchedStore(store, mode: mode)
            let folder = SwitchedFileStore(files, mode: mode) { folders[$0] ?? files }
            #expect(values.strings(forKey: "followedMatchIds") == nil)
            #expect(folder.list().isEmpty)
            values.set(["\(place)"], forKey: "followedMatchIds")
            try folder.write([UInt8(place)], to: "day")
            folder.touch("day")
            values.set(["client"], forKey: SessionShelf.markKey)
        }
        for (place, next) in [FakeMode.off, .fakeAPI, .canned(.outage)].enumerated() {
            mode.set(next)
            let values = SwitchedStore(store, mode: mode)
            let folder = SwitchedFileStore(files, mode: mode) { folders[$0] ?? files }
            #expect(values.strings(forKey: "followedMatchIds") == ["\(place)"])
            #expect(values.strings(forKey: SessionShelf.markKey) == ["client"])
            #expect(folder.read("day") == [UInt8(place)])
            folder.remove("day")
            #expect(folder.list().isEmpty)
        }
        #expect(store.strings(forKey: "followedMatchIds") == ["0"])
    }

    // MARK: - The fake

    @Test func theFakePlaysNothing() async throws {
        let fake: any AdminService = FakeAdminService()
        let replay = try await fake.play(ReplayOrder(tapeId: "1304076", paused: true))
        #expect(!replay.playing)
        #expect(try await fake.control(replay.matchId, .play).playing)
        try await fake.control(replay.matchId, .stop)
        #expect(fake.replays.isEmpty)
        await #expect(throws: APIError.self) { try await fake.play(ReplayOrder(tapeId: "none")) }
        fake.setMode(.fakeAPI)
        #expect(fake.mode == .fakeAPI)
    }
}

/// The gateway's calls for tapes, by its own description of them.
actor ReplayGateway: APITransport {
    private let name: String
    private var replay: ReplayedMatch?
    private var isAdmin = true
    private var losses = 0
    private(set) var lines: [String] = []

    init(name: String) { self.name = name }

    func setAdmin(_ isAdmin: Bool) { self.isAdmin = isAdmin }
    /// So many answers are lost.
    func lose(_ count: Int) { losses = count }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        lines.append("\(request.method) \(request.path)")
        if losses > 0 {
            losses -= 1
            throw .timeout
        }
        guard let contract = try? OpenAPIContract.served(),
            let operation = contract.operation(request.method, request.path)
        else { return APIResponse(status: 404) }
        if contract.fault(in: request.body, of: operation) != nil { return APIResponse(status: 400) }
        let body = request.body.flatMap { JSON($0) }
        switch (request.method, operation.path) {
        case ("GET", "/user/follows"): return json(FollowsResponse(follows: []))
        case _ where !isAdmin: return APIResponse(status: 403)
        case ("GET", "/admin/replay/tapes"):
            return json(["tapes": [ReplayTape(tapeId: "1304076", title: "MI v CSK")]])
        case ("GET", "/admin/replay/matches"): return json(["matches": replay.map { [$0] } ?? []])
        case ("POST", "/admin/replay/matches"):
            let speed = if case .number(let speed)? = body?["speed"] { speed } else { 1.0 }
            let made = ReplayedMatch(
                matchId: MatchID(9_000_000_001), tapeId: body?["tapeId"]?.text ?? "", title: "MI v CSK", cursor: 1,
                frames: 250, speed: speed)
            replay = made
            return json(made, status: 201)
        case ("POST", "/admin/replay/matches/{id}/control"): return control(body)
        default: return APIResponse(status: 404)
        }
    }

    private func control(_ body: JSON?) -> APIResponse {
        guard var replay else { return APIResponse(status: 404) }
        switch body?["action"]?.text {
        case "play": replay.playing = true
        case "pause": replay.playing = false
        case "step": replay.cursor += 1
        case "speed": if case .number(let speed)? = body?["speed"] { replay.speed = speed }
        case "seek":
            if let ball = body?["ball"]?.text { replay.label = ball }
            if let cursor = body?["cursor"]?.count { replay.cursor = cursor }
        case "stop":
            self.replay = nil
            return json(replay)
        default: return APIResponse(status: 400)
        }
        self.replay = replay
        return json(replay)
    }

    private func json(_ value: some Encodable, status: Int = 200) -> APIResponse {
        APIResponse(status: status, body: (try? JSONEncoder().encode(value)).map { [UInt8]($0) } ?? [])
    }
}
