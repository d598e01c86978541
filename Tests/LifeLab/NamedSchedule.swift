import ArgumentParser

/// What once went wrong somewhere, or easily could.
enum NamedSchedule: String, CaseIterable, ExpressibleByArgument {
    case followBeforePlay
    case followInPlay
    case localStartAgainstPush
    case endedTokenComesBack
    case dismissalAfterAnEnd
    case lateTokenAfterTheMatch
    case startPastItsLease
    case tieThenSuperOver
    case stumpsOvernight
    case renewalInTheLastOvers
    case flushDuringABreak
    case failoverLosesTheNewestVersion
    case startWithoutAnswer
    case phoneThatStartsNothing
    case deadStartToken
    case doubleFiredStartToken
    case rotationOutOfOrder
    case unfollowAgainstStart
    case startTwiceAndUnfollow
    case unfollowFollowUnfollow
    case dismissalOnOneOfTwoPhones
    case accountSwitch
    case reinstall
    case localStartUnknown
    case offlineUnfollow
    case deadToken
    case swipedAway
    case restarted
    case verdictOlderThanRegistration
    case providerTrouble
    case crashBetweenClaimAndEnd
    case everythingKilled
    case reopened
    case postponedThenPlayed
    case rain
    case alertWithoutAnswer
    case takeoverAmidAnAlert
    case updateWithoutAnswer
    case pausedSender

    func world(bug: PlantedBug? = nil, isTraced: Bool = false) -> World {
        switch self {
        case .followBeforePlay, .followInPlay, .localStartAgainstPush, .localStartUnknown, .startPastItsLease,
            .startWithoutAnswer, .phoneThatStartsNothing, .deadStartToken, .doubleFiredStartToken,
            .unfollowAgainstStart, .startTwiceAndUnfollow:
            starts(bug, isTraced)
        case .endedTokenComesBack, .lateTokenAfterTheMatch, .rotationOutOfOrder, .accountSwitch, .reinstall,
            .deadToken, .swipedAway, .restarted, .verdictOlderThanRegistration, .providerTrouble:
            tokens(bug, isTraced)
        case .dismissalAfterAnEnd, .dismissalOnOneOfTwoPhones, .unfollowFollowUnfollow, .offlineUnfollow,
            .crashBetweenClaimAndEnd:
            ends(bug, isTraced)
        case .tieThenSuperOver, .stumpsOvernight, .renewalInTheLastOvers, .flushDuringABreak, .reopened,
            .postponedThenPlayed, .rain:
            matches(bug, isTraced)
        case .failoverLosesTheNewestVersion, .everythingKilled, .alertWithoutAnswer, .takeoverAmidAnAlert,
            .updateWithoutAnswer, .pausedSender:
            failures(bug, isTraced)
        }
    }
}
