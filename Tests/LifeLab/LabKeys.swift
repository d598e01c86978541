import Activities
import SightscreenModels

/// One match on one phone of one user.
struct LifeKey: Hashable, Comparable, CustomStringConvertible {
    var match: Int
    var user: Int
    var device: Int

    var owner: DeviceKey { DeviceKey(user: user, device: device) }
    var description: String { "m\(match)/u\(user)/d\(device)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.match, left.user, left.device) < (right.match, right.user, right.device)
    }
}

/// A phone of a user, as the server knows it: another installation is another device.
struct DeviceKey: Hashable, Comparable {
    var user: Int
    var device: Int

    static func < (left: Self, right: Self) -> Bool { (left.user, left.device) < (right.user, right.device) }
}

struct FollowKey: Hashable, Comparable {
    var user: Int
    var match: Int

    static func < (left: Self, right: Self) -> Bool { (left.user, left.match) < (right.user, right.match) }
}

/// A push on its way.
struct LabPush {
    enum Kind: String { case start, update, end, silent, visible }

    var kind: Kind
    var key: LifeKey
    /// Of the generation that it is about.
    var generation = 0
    var startToken: PushToStartToken?
    var token: UpdateToken?
    var start: StartID?
    var stamp = 0
    var version = 0
    var content = 0
    /// How often the database had lost something when it was made.
    var epoch = 0
    var alert: Int?
    /// Milliseconds; nothing is stored for longer.
    var expiry = 0
    var leaseUntil = 0
    var lingers = false

    var address: String { token?.rawValue ?? startToken?.rawValue ?? "d\(key.device)" }
}

/// What a coordinator hears from APNs.
enum LabAnswer {
    case accepted
    case unknown
    /// 410; nil when the body has no time, or for BadDeviceToken.
    case dead(since: Int?)
    /// 429, 5xx, a refused provider token: nothing about the token.
    case trouble
}
