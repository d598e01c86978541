/// The players that an answer names, by id: as in the line-up, otherwise as embedded last. Every ball embeds two
/// players, and a player with the same bytes as before is not read again.
struct PlayerTable {
    /// The players with the value they were read from; players of the line-up have none.
    private var players: [Int64: (player: SlimPlayer, source: JSONValue?)] = [:]

    /// The players, ascending by id.
    var sorted: [SlimPlayer] { players.values.map(\.player).sorted { $0.id < $1.id } }

    /// Adds a player of the line-up.
    mutating func add(_ player: SlimPlayer) { players[player.id] = (player, nil) }

    /// Adds the players that a row embeds under these keys.
    mutating func add(from row: JSONValue, _ keys: [JSONKey]) {
        for key in keys {
            guard let source = row[key], source.isObject else { continue }
            if let id = source.id("id"), let known = players[id],
                known.source.map({ $0.hasSameBytes(as: source) }) ?? true
            {
                continue
            }
            guard let player = row.included(key, as: RawPlayer.self)?.slim else { continue }
            players[player.id] = (player, source)
        }
    }
}
