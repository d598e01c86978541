/// The owner of a phone.
struct PhoneOwner: Hashable, Sendable {
    /// The name to sign in with.
    var user: String
    var phoneName: String

    private static let names = [
        "Asha", "Ben", "Chitra", "Dev", "Esha", "Farid", "Gita", "Hasan", "Imran", "Jaya", "Kabir", "Leela", "Meera",
        "Nisha", "Omar", "Priya", "Quentin", "Ravi", "Sana", "Tara", "Usman", "Vikram", "Wasim", "Xavier", "Yash",
        "Zoya",
    ]

    /// - Parameter number: the phone's number, from 0. Every tenth phone is the second one of the user before.
    init(number: Int) {
        let hasTwo = number % 10 == 9
        let person = hasTwo ? number - 1 : number
        let round = person / Self.names.count
        let name = Self.names[person % Self.names.count]
        user = name.lowercased() + (round == 0 ? "" : "-\(round + 1)")
        phoneName = "\(name)’s \(hasTwo ? "other " : "")iPhone" + (round == 0 ? "" : " \(round + 1)")
    }

    /// The user who signs in next on the phone: a guest, then its owner again.
    func guest(after current: String) -> String { current == user ? "\(user)-guest" : user }

    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d
            }
    }
}
