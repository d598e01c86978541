import FoundationEssentials

/// A line of `sightscreen replay --events`, as another program would read it.
struct EventRow: Codable, Hashable {
    var innings: Int?
    var ball: String?
    var event: String
    var bowler: String?
    var batter: String?
    var playerOut: String?
    var value: Int?
    var retracted: Bool?

    init(_ line: String) throws { self = try JSONDecoder().decode(EventRow.self, from: Data(line.utf8)) }

    /// The line that the contract asks for: these keys, in this order, without spaces.
    var line: String {
        var parts: [String] = []
        if let innings { parts.append("\"innings\":\(innings)") }
        if let ball { parts.append("\"ball\":\"\(ball)\"") }
        parts.append("\"event\":\"\(event)\"")
        for (key, name) in [("bowler", bowler), ("batter", batter), ("playerOut", playerOut)] {
            if let name { parts.append("\"\(key)\":\"\(name)\"") }
        }
        if let value { parts.append("\"value\":\(value)") }
        if let retracted { parts.append("\"retracted\":\(retracted)") }
        return "{\(parts.joined(separator: ","))}"
    }

    /// The names of the keys that are there, apart from `innings`, `ball` and `event`.
    var details: Set<String> {
        var names: Set<String> = []
        if bowler != nil { names.insert("bowler") }
        if batter != nil { names.insert("batter") }
        if playerOut != nil { names.insert("playerOut") }
        if value != nil { names.insert("value") }
        return names
    }
}
