import Activities
import Testing

@Suite struct ActivityCaseTests {
    /// A followed match in play on a phone that takes pushes.
    private static func phone(
        _ record: ActivityCase.Record, phase: LivePhase = .live, follow: ActivityCase.Follow = .current,
        isEnabled: Bool = true, hasStartToken: Bool = true, cap: ActivityCase.Cap? = nil, isHeld: Bool = false
    ) -> ActivityCase {
        ActivityCase(
            phase: phase, follow: follow, isEnabled: isEnabled, hasStartToken: hasStartToken, record: record, cap: cap,
            isHeld: isHeld)
    }

    private static let free = ActivityCase.Record.pending(hasTried: false, isLeased: false, isGivenUp: false)

    @Test(
        arguments: [
            (phone(.active), .running), (phone(free), .startDue), (phone(.none), .madeNextPass),
            (phone(.pending(hasTried: true, isLeased: true, isGivenUp: false)), .startIsOut),
            (phone(.pending(hasTried: false, isLeased: true, isGivenUp: false)), .startsLocally),
            (phone(.pending(hasTried: true, isLeased: false, isGivenUp: true)), .givenUp),
            (phone(.none, follow: .none), .notFollowed), (phone(.none, follow: .expired), .followExpired),
            (phone(.none, isEnabled: false, hasStartToken: false), .notAllowed),
            (phone(.none, hasStartToken: false), .noStartToken), (phone(free, hasStartToken: false), .noStartToken),
            (phone(.none, cap: .phoneHour), .phoneHourCap), (phone(free, cap: .phoneDay), .phoneDayCap),
            // The record is made all the same, and waits.
            (phone(.none, cap: .userDay), .madeNextPass), (phone(free, cap: .userDay), .userDayCap),
            (phone(free, isHeld: true), .held), (phone(.none, isHeld: true), .madeNextPass),
            (phone(free, cap: .phoneHour, isHeld: true), .phoneHourCap),
            (phone(.active, hasStartToken: false), .running), (phone(.active, phase: .settled), .running),
            (phone(free, phase: .settled), .settled), (phone(free, phase: .upcoming), .notLive),
            (phone(.none, phase: .stumps), .notLive), (phone(.active, phase: .stumps), .endsNextPass),
            (phone(free, follow: .none), .endsNextPass), (phone(.active, follow: .none), .endsNextPass),
        ] as [(ActivityCase, ActivityFinding)])
    func says(_ phone: ActivityCase, _ finding: ActivityFinding) { #expect(phone.finding == finding) }

    /// Every combination of what can be known: 8 phases × 3 follows × 4 phones × 10 records × 4 caps × 2 holds.
    private static let all: [ActivityCase] = {
        var all: [ActivityCase] = []
        let caps: [ActivityCase.Cap?] = [nil] + ActivityCase.Cap.allCases
        for phase in LivePhase.allCases {
            for follow in ActivityCase.Follow.allCases {
                for phone in 0..<4 {
                    for record in ActivityCase.Record.allCases {
                        for cap in caps {
                            for isHeld in [false, true] {
                                all.append(
                                    Self.phone(
                                        record, phase: phase, follow: follow, isEnabled: phone & 1 == 0,
                                        hasStartToken: phone & 2 == 0, cap: cap, isHeld: isHeld))
                            }
                        }
                    }
                }
            }
        }
        return all
    }()

    @Test func everyCombinationAgreesWithWhatTheServicesDo() {
        #expect(Self.all.count == 8 * 3 * 4 * 10 * 4 * 2)
        for phone in Self.all {
            let finding = phone.finding
            let isUnwanted = phone.follow == .none || [.stumps, .ended, .calledOff].contains(phone.phase)
            // The orchestrator ends what runs and is not wanted, and nothing else.
            #expect((finding == .endsNextPass) == (phone.record != .none && isUnwanted), "\(phone)")
            // It makes what is missing where all conditions hold, the user's day apart.
            let isMade =
                phone.record == .none && phone.shouldExist && phone.isEnabled && phone.hasStartToken
                && phone.cap != .phoneHour && phone.cap != .phoneDay
            #expect((finding == .madeNextPass) == isMade, "\(phone)")
            // A coordinator sends a start exactly when nothing at all is in the way.
            let isFree: Bool
            if case .pending(_, isLeased: false, isGivenUp: false) = phone.record {
                isFree = true
            } else {
                isFree = false
            }
            let isSent =
                isFree && phone.phase.isOn && phone.follow != .none && phone.isEnabled && phone.hasStartToken
                && phone.cap == nil && !phone.isHeld
            #expect((finding == .startDue) == isSent, "\(phone)")
            #expect((finding == .running) == (phone.record == .active && !isUnwanted), "\(phone)")
            // What should be there, and is neither there nor on its way, never goes without a word.
            if phone.shouldExist {
                let isThere = [.running, .startIsOut, .startsLocally].contains(finding)
                #expect(finding.isDiscrepancy != isThere, "\(phone)")
            }
        }
    }

    @Test func everyFindingOccursAndHasItsOwnWords() {
        #expect(Set(Self.all.map(\.finding)) == Set(ActivityFinding.allCases))
        #expect(Set(ActivityFinding.allCases.map(\.text)).count == ActivityFinding.allCases.count)
    }
}
