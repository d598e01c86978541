/// Everybody an answer names, by id: as the line-up has them, else as they are embedded last. Every ball embeds two: one who
/// is written as before is not read again.
struct PlayerTable {
    /// Without a source: of the line-up.
    private var players: [Int64: (player: SlimPlayer, source: JSONValue?)] = [:]

    /// Ascending by id.
    var sorted: [SlimPlayer] { players.values.map(\.player).sorted { $0.id < $1.id } }

    /// Takes a player of the line-up.
    mutating func add(_ player: SlimPlayer) { players[player.id] = (player, nil) }

    /// Takes the players that a row embeds under these keys.
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
