import Cricket
import Testing

@Suite struct SurnameTests {
    @Test(arguments: [
        ("Rohit Sharma", "", "Sharma"), ("RG Sharma", "", "Sharma"), ("Mahmudullah", "", "Mahmudullah"), ("", "", ""),
        ("AB de Villiers", "", "de Villiers"), ("Rassie van der Dussen", "", "van der Dussen"),
        ("Shakib Al Hasan", "", "Al Hasan"), ("Mujeeb Ur Rahman", "", "Ur Rahman"), ("van Beek", "", "van Beek"),
        ("Imam-ul-Haq", "", "Imam-ul-Haq"), ("Mohammad Nabi", "Nabi", "Nabi"), ("Ravi Bopara Jr", "", "Bopara Jr"),
        // The provider's own word, and what it left out.
        ("AB de Villiers", "Villiers", "de Villiers"), ("AB de Villiers", "de Villiers", "de Villiers"),
        ("Dhananjaya de Silva", "Silva", "de Silva"), ("Wanindu Hasaranga", "Hasaranga de Silva", "Hasaranga de Silva"),
        ("Mahmudullah", "Riyad", "Riyad"), ("Kusal Janith Perera", "Janith Perera", "Janith Perera"),
        // Initials are no particles.
        ("LE Plunkett", "Plunkett", "Plunkett"), ("LA Pomersbach", "", "Pomersbach"), ("DA Miller", "", "Miller"),
        ("DE de Silva", "", "de Silva"),
    ])
    func aPlayerIsCalledByTheSurname(full: String, given: String, surname: String) {
        #expect(Surname.of(full, given: given) == surname)
    }
}
