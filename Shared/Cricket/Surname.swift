/// The short name of a player, for a sentence or where room is short.
public enum Surname {
    /// "Sharma" of "RG Sharma", "de Villiers" of "AB de Villiers", "van der Dussen" of "Rassie van der Dussen"; the
    /// only word of a name that has one.
    ///
    /// - Parameter given: the surname as the provider has it. It is used with the particles of `full` in front of it,
    ///   where the provider left them out; without it, the surname is the last word of `full` with its particles.
    public static func of(_ full: String, given: String = "") -> String {
        let words = full.split(separator: " ")
        guard words.count > 1 else { return given.isEmpty ? full : given }
        var start = words.count - 1
        let own = given.split(separator: " ")
        if !own.isEmpty {
            // The given surname is another spelling, or does not end the full name: the provider knows better.
            guard own.count <= words.count, words.suffix(own.count).elementsEqual(own) else { return given }
            start = words.count - own.count
        }
        if start > 1, suffixes.contains(words[start].lowercased()) { start -= 1 }
        while start > 0, isParticle(words[start - 1]) { start -= 1 }
        return words[start...].joined(separator: " ")
    }

    private static let particles: Set<String> = [
        "al", "bin", "bint", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "el", "ibn", "la", "le",
        "ten",
        "ter", "ul", "ur", "van", "von", "zu",
    ]
    private static let suffixes: Set<String> = ["jr", "jr.", "sr", "sr.", "ii", "iii"]

    /// Whether the word is a particle: "de" and "De" are, while "DE" are initials.
    private static func isParticle(_ word: Substring) -> Bool {
        word.dropFirst().allSatisfy(\.isLowercase) && particles.contains(word.lowercased())
    }
}
