import DeviceLab
import SightscreenModels
import TestKit

/// People who do what people do with their phones, by a seed.
struct RandomUsers {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Something that can be done to a phone as it is.
    mutating func action(on phone: LabPhoneState, _ match: MatchID) -> LabAction {
        let isFollowed = phone.followButtons.contains { $0.matchId == match && $0.state != .empty }
        let isShown = phone.activities.contains { $0.matchId == match && $0.state != .ended }
        // An app that is not running cannot be told anything; its phone can.
        var names: [LabAction.Name] = phone.isOnline ? [.offline] : [.online, .online]
        names += [.restart, .silenceTokens, .losePublish]
        if isShown { names += [.dismiss, .lagList] }
        if phone.app == .foreground { names += [.leaveApp, .leaveApp, .leaveApp] }
        if phone.app == .killed {
            names += [.openApp, .openApp, .openApp]
        } else {
            names += [.killApp, .openApp, .switchUser, .reinstall]
            names += isFollowed ? [.unfollow] : [.follow, .follow, .follow]
            names += phone.allowsActivities ? [.denyPermission] : [.grantPermission, .grantPermission]
            names += phone.allowsFrequentPushes ? [.denyFrequentPushes] : [.grantFrequentPushes]
        }
        return LabAction(names[Int(random.next() % UInt64(names.count))], matchId: match)
    }

    mutating func some<Value>(_ count: Int, of values: [Value]) -> [Value] {
        Array(values.shuffled(using: &random).prefix(count))
    }

    /// One time in six.
    mutating func isMoved() -> Bool { random.next() % 6 == 0 }

}
