import APNsProtocol
import Activities
import Messages
import SightscreenModels
import Store
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct TokenCohortTests {
    private let match = LoopMatch(
        id: Harness.match, hold: MatchHold(.none), rules: .init(bundleID: "dev.app", freshness: 30, keepAlive: 1_200))

    private func makeCohort() -> TokenCohort {
        TokenCohort(
            number: 0, match: match, environment: .production, shard: 0, trust: ShardTrust(StallDetector(), epoch: 1))
    }

    private static func entry(
        _ user: String, token: String, at tokenAt: Double = 1, delivered: Int? = nil, level: AlertLevel = .all
    ) -> RosterEntry {
        RosterEntry(
            key: RosterKey(user: UserID(user), device: DeviceID("phone"), generation: 1), match: Harness.match,
            shard: 0,
            environment: .production, token: UpdateToken(token), tokenAt: tokenAt,
            delivered: delivered.map { Stamp($0) },
            isNew: false, level: level)
    }

    private static func path(_ cohort: TokenCohort, _ slot: Int) -> String {
        let scratch = TokenPath()
        defer { scratch.deallocate() }
        var path = ""
        _ = cohort.withPath(slot, scratch) {
            path = String(decoding: $0, as: UTF8.self)
            return true
        }
        return path
    }

    /// Apple promises nothing about tokens: those that are not as they are today are kept as they are.
    @Test(arguments: [
        "00", String(repeating: "0a9f", count: 40), String(repeating: "0a", count: 81), "abc", "ABCD", "no hex", "",
    ])
    func aTokenComesOutAsItWentIn(token: String) throws {
        let cohort = makeCohort()
        let slot = try #require(cohort.add(Self.entry("asha", token: token)))
        let spelled = UpdateToken(token).rawValue
        #expect(cohort.token(slot) == spelled)
        #expect(Self.path(cohort, slot) == "/3/device/\(spelled)")
    }

    @Test func theSameRegistrationIsTakenOnceAndAnotherTokenTakesItsPlace() throws {
        let cohort = makeCohort()
        let first = try #require(cohort.add(Self.entry("asha", token: "aa", delivered: 7)))
        cohort.row(first).pointee.alertedThrough = 5
        #expect(cohort.add(Self.entry("asha", token: "aa", level: .none)) == nil)
        #expect(cohort.row(first).pointee.alertLevel == .none, "the level is taken over all the same")
        let second = try #require(cohort.add(Self.entry("asha", token: "bb", at: 2)))
        #expect(cohort.count == 1 && cohort.token(second) == "bb")
        #expect(cohort.row(second).pointee.alertedThrough == 5, "the phone has been told")
        #expect(cohort.row(second).pointee.delivered == 0, "what the new token shows is not known")
    }

    @Test func howManyTokensAreProvenIsKnown() throws {
        let cohort = makeCohort()
        let shown = try #require(cohort.add(Self.entry("asha", token: "aa", delivered: 7)))
        let new = try #require(cohort.add(Self.entry("ben", token: "bb")))
        #expect(cohort.provenCount == 1 && cohort.row(shown).pointee.isProven && !cohort.row(new).pointee.isProven)
        for slot in [new, new, shown] { cohort.prove(slot) }
        #expect(cohort.provenCount == 2 && cohort.token(new) == "bb")
        // Another token is to prove itself anew, and one whose last answer comes late counts no more.
        let next = try #require(cohort.add(Self.entry("asha", token: "cc", at: 2)))
        #expect(cohort.provenCount == 1 && !cohort.row(next).pointee.isProven)
        cohort.row(new).pointee.inFlightStamp = 9
        cohort.remove(RosterKey(user: UserID("ben"), device: DeviceID("phone"), generation: 1))
        cohort.prove(new)
        #expect(cohort.provenCount == 0)
    }

    @Test func aTokenInPlaceOfABadOneWaitsAsThatOneDid() throws {
        let cohort = makeCohort()
        var slot = try #require(cohort.add(Self.entry("asha", token: "aa")))
        cohort.row(slot).pointee.backoff = 3
        cohort.row(slot).pointee.failure = .badDeviceToken
        slot = try #require(cohort.add(Self.entry("asha", token: "bb", at: 2)))
        #expect(cohort.row(slot).pointee.backoff == 3)
        // Not in place of one that was taken, or that a host in trouble refused.
        cohort.prove(slot)
        cohort.row(slot).pointee.failure = .badDeviceToken
        slot = try #require(cohort.add(Self.entry("asha", token: "cc", at: 3)))
        #expect(cohort.row(slot).pointee.backoff == 0)
        cohort.row(slot).pointee.backoff = 2
        cohort.row(slot).pointee.failure = .otherServerError
        slot = try #require(cohort.add(Self.entry("asha", token: "dd", at: 4)))
        #expect(cohort.row(slot).pointee.backoff == 0)
    }

    @Test func aSlotIsNobodyElsesWhileAPushOfItIsUnderWay() throws {
        let cohort = makeCohort()
        let slot = try #require(cohort.add(Self.entry("asha", token: "aa")))
        let key = cohort.row(slot).pointee.key
        cohort.row(slot).pointee.inFlightStamp = 9
        cohort.remove(key)
        #expect(cohort.isDraining(key) && cohort.count == 0)
        let other = try #require(cohort.add(Self.entry("ben", token: "bb")))
        #expect(other != slot)
        cohort.row(slot).pointee.inFlightStamp = 0
        cohort.release(slot)
        #expect(cohort.noteLastAnswer(key) && !cohort.isDraining(key))
        #expect(cohort.add(Self.entry("cat", token: "cc")) == slot)
    }

    @Test func itIsSettledByTheLastOfItsPhones() throws {
        let cohort = makeCohort()
        #expect(cohort.settled() == nil)
        for (user, stamp) in [("asha", 12), ("ben", 10), ("cat", 11)] {
            _ = cohort.add(Self.entry(user, token: user, delivered: stamp))
        }
        #expect(cohort.settled() == BucketProgress(stamp: Stamp(10)))
        cohort.remove(RosterKey(user: UserID("ben"), device: DeviceID("phone"), generation: 1))
        #expect(cohort.settled() == BucketProgress(stamp: Stamp(11)))
        _ = cohort.add(Self.entry("dan", token: "dd"))
        #expect(cohort.settled() == nil)
    }

    @Test func aPhoneThatIsTriedAgainAndAgainDoesNotKeepTheOthersUnsettled() throws {
        let cohort = makeCohort()
        for (user, stamp) in [("asha", 12), ("ben", 10), ("cat", 12)] {
            _ = cohort.add(Self.entry(user, token: user, delivered: stamp))
        }
        let silent = try #require(cohort.add(Self.entry("dan", token: "dd")))
        #expect(cohort.settled() == nil, "it was not tried yet")
        cohort.row(silent).pointee.backoff = 1
        let marks = ["ben", "dd"].map { BucketProgress.mark(of: UpdateToken($0)) }
        #expect(cohort.settled() == BucketProgress(stamp: Stamp(10), laggards: [marks[1]]))
        let ben = try #require(cohort.slot(RosterKey(user: UserID("ben"), device: DeviceID("phone"), generation: 1)))
        cohort.row(ben).pointee.backoff = 3
        #expect(cohort.settled() == BucketProgress(stamp: Stamp(12), laggards: Set(marks)))
        cohort.row(ben).pointee.delivered = 13
        #expect(cohort.settled() == BucketProgress(stamp: Stamp(12), laggards: [marks[1]]))
    }

    @Test func whenManyAreTriedAgainAllWaitForTheLast() {
        let cohort = makeCohort()
        _ = cohort.add(Self.entry("asha", token: "asha", delivered: 12))
        for number in 0...BucketProgress.laggardsMax {
            guard let slot = cohort.add(Self.entry("\(number)", token: "\(number)", delivered: 10)) else { continue }
            cohort.row(slot).pointee.backoff = 1
        }
        #expect(cohort.settled() == BucketProgress(stamp: Stamp(10)))
    }

    /// A million phones of one match fit in 200 MB; the process and its connections come on top.
    @Test func aRowIsSmall() {
        #expect(MemoryLayout<CohortRow>.stride <= 56)
        #expect(MemoryLayout<CohortRow>.stride + TokenPath.inlineBytes + 64 <= 200)
    }

    /// In a break the newest version may be one that was repeated quietly for minutes.
    @Test func theFirstStateGoesAtOnceWhenTheOthersHadItRepeated() throws {
        let cohort = makeCohort()
        let stamp = 2_000_000_000
        _ = match.publish(
            MatchUpdate(
                matchID: Harness.match, version: MatchVersion(2), stamp: Stamp(stamp), contentState: Harness.state(2),
                priority: 10, alert: nil, relevance: 50), repeatsQuietly: true)
        var entry = Self.entry("asha", token: "aa", at: Double(stamp) - 100)
        entry.isNew = true
        let new = try #require(cohort.add(entry))
        let old = try #require(cohort.add(Self.entry("ben", token: "bb", delivered: stamp - 60)))
        let priorities = [new, old].map { slot -> APNsPriority? in
            guard case .push(let variant) = match.need(cohort.row(slot), .init(), of: cohort, now: stamp) else {
                return nil
            }
            return variant.priority
        }
        #expect(priorities == [.immediate, .routine])
    }
}
