import Cricket
import Detection
import DeviceLab
import FoundationEssentials
import HTTPClient
import PretendPhones
import Replay
import SightscreenModels
import Tapes

/// The pretended phones and what their matches send them: the display states of a real match, frame by frame, as its
/// tape is played.
actor PretendScenario {
    private struct Loaded {
        var id: MatchID
        var shows: [PretendPhone.Show]
        var cursor = 0
    }

    private struct Position: Decodable {
        var matchId: MatchID
        var cursor: Int
    }

    nonisolated let phones: [PretendPhone]
    private let provider: String
    private let http = HTTPClient(configuration: .init(allowHTTP: true))
    private let isHostile: Bool
    private let hasStale: Bool
    private let status: String?
    private var matches: [Loaded] = []
    private(set) var versions = 0
    private(set) var pushes = 0

    private static let names = [
        "Asha", "Ravi", "Meera", "Kabir", "Zoya", "Arjun", "Nisha", "Vikram", "Leela", "Imran", "Tara", "Dev",
    ]

    init(provider: String, phones count: Int, isHostile: Bool, hasStale: Bool, status: String?) {
        self.provider = provider
        self.isHostile = isHostile
        self.hasStale = hasStale
        self.status = status
        phones = (0..<count).map { number in
            let person = Self.names[number % Self.names.count]
            let name = "\(person)’s iPhone\(number < Self.names.count ? "" : " \(number / Self.names.count + 1)")"
            return PretendPhone(
                id: "phone-\(number + 1)", name: isHostile ? Self.hostile + name : name,
                users: [person.lowercased(), "guest", isHostile ? Self.hostile : "sam"]
            ) { Self.now }
        }
    }

    static let hostile = #"<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>"#

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Loads a match into the provider's stand-in, and works out what would be shown after each of its frames.
    func load(_ tape: String, from folder: String, speed: Double, at label: String?, isPaused: Bool) async throws {
        struct Body: Encodable {
            var speed: Double
            var paused = true
        }
        struct Seek: Encodable { var label: String }
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(tape).json"), let id = Int64(tape) else {
            return
        }
        let match = try CricsheetMatch(json: [UInt8](data))
        var shows: [PretendPhone.Show] = []
        for step in TapeReplay(Tape(match: match, id: id, variant: .clean, seed: 0)) {
            guard var content = step.state ?? shows.last?.content else { continue }
            content.version = step.frame
            if isHostile { Self.spoil(&content) }
            if let status { content.expanded.status = status }
            let alert = step.changes.compactMap(\.alert).last
            shows.append(
                PretendPhone.Show(
                    content, attributes: step.snapshot.map(Self.attributes) ?? shows.last?.attributes,
                    relevance: step.changes.last?.relevance ?? shows.last?.relevance ?? 0,
                    alert: alert.map {
                        (isHostile ? Self.hostile : $0.title, $0.body, $0.sound)
                    }))
        }
        matches.append(Loaded(id: MatchID(id), shows: shows))
        try await post("/tapes/\(tape)/load", Body(speed: speed))
        if let label { try await post("/matches/\(tape)/seek", Seek(label: label)) }
        if !isPaused { try await post("/matches/\(tape)/play", Body(speed: speed)) }
    }

    private static func attributes(_ match: MatchSnapshot) -> LabActivity.Attributes {
        LabActivity.Attributes(
            homeTeam: match.home.name, homeAbbr: match.home.code, awayTeam: match.away.name, awayAbbr: match.away.code,
            competition: match.competition, startsAt: match.startsAt)
    }

    private static func spoil(_ content: inout ContentState) {
        content.expanded.title = hostile
        content.expanded.subtitle = hostile
        content.expanded.status = hostile
        content.compactLeading.teamAbbr = "<b>"
        for index in content.expanded.batters.indices { content.expanded.batters[index].name = hostile + "\(index)" }
        content.expanded.lastEvent = .init(kind: .six, text: hostile)
        content.expanded.lastWicket = hostile + " 0 (1)"
    }

    /// Shows what the tapes show, until it is cancelled.
    func run(following: Bool) async throws {
        try await follow()
        if following {
            for (number, phone) in phones.enumerated() {
                for (place, match) in matches.enumerated() where place == 0 || number % 4 == 0 {
                    try? await phone.perform(LabAction(.follow, matchId: match.id))
                }
            }
        }
        if hasStale, phones.count > 1 {
            // After what was sent to it a moment ago.
            try await Task.sleep(for: .seconds(1))
            await phones[1].goStale()
        }
        while !Task.isCancelled {
            try await follow()
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func follow() async throws {
        let answer = try await http.send(HTTPClientRequest(url: "\(provider)/matches"))
        for position in try JSONDecoder().decode([Position].self, from: Data(answer.body)) {
            guard let index = matches.firstIndex(where: { $0.id == position.matchId }), position.cursor > 0,
                position.cursor != matches[index].cursor
            else { continue }
            let before = matches[index].cursor
            matches[index].cursor = position.cursor
            versions += 1
            var show = matches[index].shows[min(position.cursor, matches[index].shows.count) - 1]
            // Versions only grow, also when the tape is wound back.
            show.content.version = versions
            if position.cursor < before { show.alert = nil }
            await send(show, of: position.matchId)
        }
    }

    /// To every phone, one a little later than the other, as over a network.
    private func send(_ show: PretendPhone.Show, of match: MatchID) async {
        pushes += phones.count
        for (number, phone) in phones.enumerated() {
            if hasStale, number == 1, versions > matches.count { continue }
            let late = Duration.milliseconds(60 + (number * 7_919 + show.content.version * 104_729) % 640)
            Task {
                try? await Task.sleep(for: late)
                await phone.take(show, of: match)
            }
        }
    }

    private func post(_ path: String, _ body: some Encodable) async throws {
        let answer = try await http.send(
            HTTPClientRequest(
                method: "POST", url: provider + path, headers: [("content-type", "application/json")],
                body: [UInt8](try JSONEncoder().encode(body))))
        guard (200..<300).contains(answer.status) else {
            throw LabRefusal("\(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
    }
}
