/// The people of a match, with the provider's JSON of each, written once.
struct TapePeople: Sendable {
    struct Selected: Sendable {
        var id: Int64
        var teamID: Int64
        /// Whether the player comes in during the match, as a concussion or impact player.
        var isReplacement: Bool
    }

    /// The players in the order in which Cricsheet names the teams and their players.
    let lineup: [Selected]
    /// Each player's JSON object without the closing brace, so that members can be added.
    private let open: [Int64: [UInt8]]

    init(_ match: CricsheetMatch, ids: TapeIDs) {
        var incoming: [String: String] = [:]
        var names: [String] = []
        var bowlers: Set<String> = []
        for delivery in match.innings.flatMap({ $0.overs ?? [] }).flatMap(\.deliveries) {
            for change in delivery.replacements?.match ?? [] { incoming[change.incoming] = change.team }
            names.append(contentsOf: [delivery.batter, delivery.non_striker, delivery.bowler])
            bowlers.insert(delivery.bowler)
            for wicket in delivery.wickets ?? [] {
                names.append(wicket.player_out)
                names.append(contentsOf: (wicket.fielders ?? []).compactMap(\.name))
            }
        }
        var lineup: [Selected] = []
        for team in match.info.teams {
            var players = match.info.players[team] ?? []
            for (name, side) in incoming.sorted(by: { $0.key < $1.key }) where side == team && !players.contains(name) {
                players.append(name)
            }
            names.append(contentsOf: players)
            for name in players {
                lineup.append(
                    Selected(
                        id: ids.person(name), teamID: TapeIDs.team(team), isReplacement: incoming[name] != nil))
            }
        }
        self.lineup = lineup
        names.append(contentsOf: match.info.player_of_match ?? [])
        let gender = match.info.gender == "female" ? "f" : "m"
        var open: [Int64: [UInt8]] = [:]
        for name in names {
            let id = ids.person(name)
            guard open[id] == nil else { continue }
            open[id] = Array(Self.player(id, name, gender: gender, isBowler: bowlers.contains(name)).dropLast())
        }
        self.open = open
    }
    /// A player's JSON object; nil without an id, and for a player who is not in the match.
    func json(_ id: Int64?) -> [UInt8]? {
        guard let id, let open = open[id] else { return nil }
        return open + [0x7d]
    }

    /// A selected player's JSON object, with the member `lineup`.
    func json(_ selected: Selected) -> [UInt8]? {
        guard let open = open[selected.id] else { return nil }
        let member =
            #","lineup":{"team_id":\#(selected.teamID),"captain":false,"wicketkeeper":false,"substitution":\#(selected.isReplacement)}}"#
        return open + Array(member.utf8)
    }

    static func names(of full: String) -> (first: String, last: String) {
        let words = full.split(separator: " ")
        guard let last = words.last, words.count > 1 else { return ("", full) }
        return (words.dropLast().joined(separator: " "), String(last))
    }

    /// The JSON of a player. Cricsheet has neither country nor birthday nor style.
    private static func player(_ id: Int64, _ name: String, gender: String, isBowler: Bool) -> [UInt8] {
        let names = names(of: name)
        var json = JSONBytes()
        json.object {
            $0.field("resource", "players")
            $0.field("id", id)
            $0.field("country_id", TapeRenderer.worldCountryID)
            $0.field("firstname", names.first)
            $0.field("lastname", names.last)
            $0.field("fullname", name)
            $0.field("image_path", TapeRenderer.placeholder)
            $0.field("dateofbirth", nil as String?)
            $0.field("gender", gender)
            $0.field("battingstyle", nil as String?)
            $0.field("bowlingstyle", nil as String?)
            $0.key("position")
            $0.object {
                $0.field("resource", "positions")
                $0.field("id", isBowler ? 2 : 1)
                $0.field("name", isBowler ? "Bowler" : "Batsman")
            }
            $0.field("updated_at", TapeRenderer.referenceDate)
        }
        return json.bytes
    }
}
