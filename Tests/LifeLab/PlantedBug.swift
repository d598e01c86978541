import Activities
import ArgumentParser

/// Mistakes that the lab's server side can be made to make; the invariants have to catch each.
enum PlantedBug: String, CaseIterable, ExpressibleByArgument {
    // Starts.
    case startLeasesAreIgnored
    case triesAreNotBounded
    case noBoundPerHour
    case startsIgnoreTheFollow
    case startsDoNotExpire
    case unknownStartsAreRepeated
    case registeringDoesNotTryAgain
    case givenUpPhonesAreLeftAlone
    // Tokens.
    case endedTokensRevive
    case lateTokensAreActivated
    case rotationIsIgnored
    case lateReportsRotateBack
    case secondActivityIsARotation
    case tokensAreNotMoved
    case deadTokensAreUsedOn
    case deadTokensStartAnew
    case verdictTimesAreIgnored
    case troubleKillsTokens
    case tokensGetNoState
    // Ends.
    case ownEndIsAnUnfollow
    case dismissalIsNoUnfollow
    case unfollowSendsNoEnd
    case crashesLoseEnds
    case endedRowsGoOn
    // The match.
    case stumpsGoOn
    case tieEndsAtOnce
    case reopenedStaysEnded
    case noKeepAlive
    case renewalEndsTheOldFirst
    case nothingIsRenewed
    // Stamps, alerts, senders.
    case stampsCountOn
    case alertsAreRepeated
    case alertsAreNotClaimed
    case unknownCountsAsShown
    case pausedSenderTrustsOn

    /// The named schedule that shows it, beside random ones.
    var schedule: NamedSchedule {
        switch self {
        case .startLeasesAreIgnored, .unknownStartsAreRepeated: .startWithoutAnswer
        case .triesAreNotBounded, .noBoundPerHour, .registeringDoesNotTryAgain, .givenUpPhonesAreLeftAlone:
            .phoneThatStartsNothing
        case .startsIgnoreTheFollow: .unfollowAgainstStart
        case .startsDoNotExpire: .startPastItsLease
        case .endedTokensRevive: .endedTokenComesBack
        case .lateTokensAreActivated: .lateTokenAfterTheMatch
        case .rotationIsIgnored, .lateReportsRotateBack: .rotationOutOfOrder
        case .secondActivityIsARotation: .localStartAgainstPush
        case .tokensAreNotMoved: .accountSwitch
        case .deadTokensAreUsedOn: .deadToken
        case .deadTokensStartAnew: .swipedAway
        case .verdictTimesAreIgnored: .verdictOlderThanRegistration
        case .troubleKillsTokens: .providerTrouble
        case .tokensGetNoState: .flushDuringABreak
        case .ownEndIsAnUnfollow: .dismissalAfterAnEnd
        case .dismissalIsNoUnfollow: .dismissalOnOneOfTwoPhones
        case .unfollowSendsNoEnd: .unfollowFollowUnfollow
        case .crashesLoseEnds: .crashBetweenClaimAndEnd
        case .endedRowsGoOn: .dismissalOnOneOfTwoPhones
        case .stumpsGoOn: .stumpsOvernight
        case .tieEndsAtOnce: .tieThenSuperOver
        case .reopenedStaysEnded: .reopened
        case .noKeepAlive: .rain
        case .renewalEndsTheOldFirst, .nothingIsRenewed: .renewalInTheLastOvers
        case .stampsCountOn: .failoverLosesTheNewestVersion
        case .alertsAreRepeated: .alertWithoutAnswer
        case .alertsAreNotClaimed: .takeoverAmidAnAlert
        case .unknownCountsAsShown: .updateWithoutAnswer
        case .pausedSenderTrustsOn: .pausedSender
        }
    }
}

extension PlantedBug {
    /// What the server side with this mistake makes of an event.
    func handle(
        _ event: ActivityEvent, _ life: inout ActivityLife, _ intents: inout [ActivityIntent], _ world: World
    ) {
        let now = world.moment
        let before = life
        var policy = world.policy
        var event = event
        switch (self, event) {
        case (.startLeasesAreIgnored, .startDue):
            life.changeNewest { $0.start.leaseUntil = nil }
        case (.triesAreNotBounded, .startDue), (.triesAreNotBounded, .passDue):
            life.changeNewest { $0.start.tries = min($0.start.tries, 1) }
        case (.startsIgnoreTheFollow, .unfollowed) where life.current?.status == .pending:
            life.followedAt = nil
            return
        case (.startsIgnoreTheFollow, .passDue) where !life.isFollowed: return
        case (.startsIgnoreTheFollow, .startDue) where !life.isFollowed:
            life.followedAt = now
            intents = life.handle(event, at: now, policy: policy)
            life.followedAt = nil
            return
        case (.registeringDoesNotTryAgain, .appRegistered), (.registeringDoesNotTryAgain, .startTokenReported):
            _ = life.handle(event, at: now, policy: policy)
            if let kept = before.current, kept.status == .pending { life.changeNewest { $0.start = kept.start } }
            return
        case (.givenUpPhonesAreLeftAlone, .passDue):
            life.phone.fallback.step = .passive
        case (.endedTokensRevive, .tokenReported(let token, _, let start)):
            if let place = life.generations.firstIndex(where: {
                $0.status == .ended && ($0.token == token || $0.startID == start)
            }),
                life.current == nil
            {
                life.generations[place].status = .active
                life.generations[place].reason = nil
                life.generations[place].token = token
                life.generations[place].tokenAt = now
                life.generations[place].endPush = .none
                return
            }
        case (.lateTokensAreActivated, .tokenReported) where life.phase == .ended:
            life.phase = .settled
            if life.current == nil, let place = life.generations.indices.first {
                life.generations[place].status = .pending
            }
            intents = life.handle(event, at: now, policy: policy)
            life.phase = .ended
            return
        case (.deadTokensStartAnew, .updateAnswered):
            intents = life.handle(event, at: now, policy: policy)
            for place in life.generations.indices { life.generations[place].card = nil }
            return
        case (.lateReportsRotateBack, .tokenReported):
            for place in life.generations.indices { life.generations[place].formerTokens = [] }
        case (.secondActivityIsARotation, .tokenReported(let token, let activity, _)):
            if let current = life.current, current.status == .active, current.token != token {
                life.changeNewest {
                    $0.token = token
                    $0.tokenAt = now
                    $0.activityID = activity
                }
                return
            }
        case (.ownEndIsAnUnfollow, .dismissed):
            intents = life.handle(event, at: now, policy: policy)
            if life.isFollowed {
                intents += life.handle(.unfollowed, at: now, policy: policy)
                intents.append(.unfollow)
            }
            return
        case (.dismissalIsNoUnfollow, .dismissed):
            _ = life.handle(event, at: now, policy: policy)
            life.followedAt = before.followedAt
            return
        case (.unfollowSendsNoEnd, .unfollowed):
            _ = life.handle(event, at: now, policy: policy)
            for place in life.generations.indices where before.generations[place].status != .ended {
                life.generations[place].endPush = .none
            }
            return
        case (.stumpsGoOn, _) where life.phase == .stumps:
            life.phase = .live
        case (.stumpsGoOn, .matchBecame(.stumps)):
            event = .matchBecame(.live)
        case (.reopenedStaysEnded, .passDue):
            if life.generations.contains(where: { $0.reason == .matchEnd }), life.current == nil { return }
        case (.renewalEndsTheOldFirst, .startDue):
            if let current = life.current, current.isToBeRenewed {
                life.changeNewest { $0.end(.matchEnd, now) }
                return
            }
        case (.nothingIsRenewed, .passDue):
            policy.renewal.after = .seconds(1_000_000)
        default: break
        }
        intents = life.handle(event, at: now, policy: policy)
    }
}

extension ActivityLife {
    fileprivate mutating func changeNewest(_ body: (inout LifeGeneration) -> Void) {
        guard let place = generations.firstIndex(where: { $0.status != .ended }) else { return }
        body(&generations[place])
    }
}

extension LifeGeneration {
    fileprivate mutating func end(_ reason: EndReason, _ now: Moment) {
        status = .ended
        self.reason = reason
        endedAt = now
        endPush = .due(.now, leaseUntil: nil)
    }
}
