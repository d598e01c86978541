import Cricket
import SightscreenModels

/// A player's name as a fan reads it; a part that is not known is nil.
struct PlayerName: Equatable {
    /// "Rohit Sharma", "RG Sharma".
    let full: String?
    /// "Sharma", "de Villiers", "van der Dussen"; the only name of a player who has one.
    let last: String?

    init(_ player: Player) {
        let full = DisplayText.name(player.fullName)
        let given = DisplayText.name(player.lastName)
        self.full = full.isEmpty ? (given.isEmpty ? nil : given) : full
        last = full.isEmpty ? self.full : Surname.of(full, given: given)
    }

    /// The name of each player of the match on the card, in alerts and in the API: the surname; with initials where two
    /// of the match share it ("R Sharma", "I Sharma"), and in full where they share those, too. A player whom the frame
    /// does not name is missing.
    static func all(in snapshot: MatchSnapshot) -> [Int64: String] {
        let names = snapshot.players.compactMapValues { player in
            let name = PlayerName(player)
            return name.last.map { (name: name, last: $0, short: name.initialled) }
        }
        let families = Dictionary(grouping: names.values) { $0.last.lowercased() }
        return names.mapValues { entry in
            let family = families[entry.last.lowercased()] ?? []
            guard family.count > 1, let full = entry.name.full, let short = entry.short else { return entry.last }
            return family.count { $0.short?.lowercased() == short.lowercased() } > 1 ? full : short
        }
    }

    /// The name with initials: "R Sharma" of "Rohit Sharma", "RG Sharma" of "RG Sharma" and "Rohit Gurunath Sharma"; a
    /// single name as it is.
    private var initialled: String? {
        guard let full, let last else { return nil }
        let first = full.split(separator: " ").dropLast(last.split(separator: " ").count)
        let initials = first.map { word in
            // The word consists of initials already.
            word.count <= 4 && word.allSatisfy(\.isUppercase) ? String(word) : word.prefix(1).uppercased()
        }
        return initials.isEmpty ? last : "\(initials.joined()) \(last)"
    }
}
