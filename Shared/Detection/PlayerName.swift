import Sightscreen

/// A player as a fan reads the name; nil parts are not known.
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
}
