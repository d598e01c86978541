@testable import SightscreenClientTesting
import FoundationEssentials
import SightscreenModels
import Testing

@testable import SightscreenClient

/// Fake mode, tapes, and their limits to debug builds.
@MainActor
@Suite struct AdminServiceTests {
    let clock = SimulatedClock(now: Sample.now)
    let store = InMemoryKeyValueStore()
    let fakeAPI = ReplayGateway()

    /// Returns the debug menu's service as it is after a launch.
    private func admin() -> RealAdminService {
        let api = SightscreenAPI(
            transport: fakeAPI, session: FakeSession(user: Sample.user, token: "good"), clock: clock, retries: .never)
        return RealAdminService(api: api, fakeMode: FakeModeSwitch(store: store))
    }

    // MARK: - Fake API controls

    @Test func fakeModeIsToggledAndSurvivesTheApp() {
        #expect(!admin().usesFakeAPI)
        for isOn in [true, false] {
            let admin = admin()
            admin.setUsesFakeAPI(isOn)
            #expect(admin.usesFakeAPI == isOn)
            #expect(self.admin().usesFakeAPI == isOn)
        }
        store.set(["something else"], forKey: FakeModeSwitch.key)
        #expect(!admin().usesFakeAPI)
    }

    // MARK: - Tape playback

    @Test func aTapeIsPlayed() async throws {
        let admin: any AdminService = admin()
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
        #expect(!admin.usesFakeAPI, "whichever backend the app uses, tapes are the fake API's")
    }

    @Test func whoIsNoAdministratorIsToldSo() async throws {
        await fakeAPI.setAdmin(false)
        let admin = admin()
        let refusal = await #expect(throws: APIError.self) { try await admin.tapes() }
        #expect(refusal?.status == 403)
    }

    @Test func aLoadAndAStepAreSentOnce() async throws {
        let fakeMode = FakeModeSwitch(store: store)
        // A repeated call would wait by the real clock, and the test would notice.
        let api = SightscreenAPI(
            transport: fakeAPI, session: FakeSession(user: Sample.user, token: "good"), clock: SystemClientClock()
        ) { 0 }
        let admin = RealAdminService(api, fakeMode)
        await fakeAPI.lose(2)
        await #expect(throws: APIError.transport(.timeout)) { try await admin.play(ReplayOrder(tapeId: "1304076")) }
        #expect(await fakeAPI.lines.count == 1, "each load is a match of its own")
        await #expect(throws: APIError.transport(.timeout)) { try await admin.control(MatchID(1), .step) }
        #expect(await fakeAPI.lines.count == 2)
    }

    // MARK: - Debug builds only

    /// The initialisers are public only in a debug build. These tests also run in a release build, where they use
    /// initialisers that apps cannot see.
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

    // MARK: - The sample gateway

    @Test func theSampleGatewayIsOneForAWholeApp() async throws {
        let api = SightscreenAPI(
            transport: SampleGateway(clock: clock), session: FakeSession(user: Sample.user, token: "good"),
            clock: clock, retries: .never)
        let match = SampleMatches.live(now: Sample.now)
        guard case .new(let day, _) = try await api.matches(on: UTCDay(at: Sample.now)),
            case .new(let live, _) = try await api.liveMatches()
        else {
            Issue.record("there is no tag")
            return
        }
        #expect(day.matches.contains(match))
        #expect(live.matches == [match])
        #expect(try await api.match(match.id) == match)
        #expect(try await api.follows().isEmpty)
        #expect(try await api.follow(FollowRequest(matchId: match.id)).following)
        #expect(try await api.follows().map(\.matchId) == [match.id])
        #expect(try await !api.unfollow(match.id).following)
        #expect(try await api.follows().isEmpty)
        await #expect(throws: APIError.self) { try await api.match(MatchID(7)) }
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
        fake.setUsesFakeAPI(true)
        #expect(fake.usesFakeAPI)
    }
}

/// A stand-in for the gateway's replay calls, checked against its API description.
actor ReplayGateway: APITransport {
    private var replay: ReplayedMatch?
    private var isAdmin = true
    private var losses = 0
    private(set) var lines: [String] = []

    func setAdmin(_ isAdmin: Bool) { self.isAdmin = isAdmin }
    /// Loses the answers of the next calls.
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
