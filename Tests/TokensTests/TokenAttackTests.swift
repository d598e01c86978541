import Testing
import Tokens

/// Hand-made attacks on the bearer token, each with the refusal it must meet.
@Suite struct TokenAttackTests {
    private func meet(_ attacks: [TokenAttack]) throws {
        for attack in attacks {
            #expect(try TokenForge.refusal(of: attack.token) == attack.refusal, "\(attack.name)")
        }
    }

    @Test func noHeaderChoosesHowItIsChecked() throws { try meet(HeaderAttacks.all()) }

    @Test func noClaimIsTakenForAnother() throws { try meet(ClaimAttacks.all()) }

    @Test func noOtherSpellingIsTaken() throws { try meet(SpellingAttacks.all()) }

    @Test func theAttacksAreManyAndDifferAndTheTokenTheyStartFromIsGood() throws {
        let attacks = try HeaderAttacks.all() + ClaimAttacks.all() + SpellingAttacks.all()
        #expect(attacks.count >= 200, "\(attacks.count) attacks")
        let names = Dictionary(grouping: attacks, by: \.name).filter { $1.count > 1 }.keys
        #expect(names.isEmpty, "used twice: \(names)")
        #expect(Set(attacks.map(\.token)).count > attacks.count - 10)
        #expect(!attacks.contains { $0.refusal == "accepted" })
        #expect(try TokenForge.refusal(of: TokenForge.token()) == "accepted")
    }
}
