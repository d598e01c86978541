package import Activities
package import SightscreenModels

/// One active activity in a cohort, as small as it can be: there are a million of them for one match.
struct CohortRow {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isUsed = Flags(rawValue: 1)
        /// Its token is new: the first state goes at once, at priority 10.
        static let isNew = Flags(rawValue: 2)
        /// What went before has an unknown outcome: the state is repeated at priority 5, without the alert it had.
        static let repeatsQuietly = Flags(rawValue: 4)
        /// The push under way, or the last one, shows a provider token with an odd serial.
        static let showsOddToken = Flags(rawValue: 8)
        /// In the list of those to look at again, or in one of those who wait for something.
        static let isQueued = Flags(rawValue: 16)
        /// Taken out while a push was under way: its answer frees the slot.
        static let isLeaving = Flags(rawValue: 32)
        /// Its user has switched frequent updates off.
        static let isInfrequent = Flags(rawValue: 64)
        /// The last push was not looked at, or not for a reason of its own: another costs APNs nothing more.
        static let repeatsFreely = Flags(rawValue: 128)
    }

    var key: RosterKey
    /// When the token was registered, seconds since 1970.
    var tokenAt: Double
    /// The stamp that it shows; 0 when that is not known.
    var delivered: UInt32 = 0
    /// The stamp of the push under way; 0 when there is none.
    var underWay: UInt32 = 0
    /// The stamp of the last push, whatever became of it; 0 when there was none.
    var tried: UInt32 = 0
    /// The version of the last alert that the phone was told, or that was lost on its way; 0 for none.
    var alertedThrough: UInt32 = 0
    /// What `alertedThrough` was before the push under way.
    var alertedBefore: UInt32 = 0
    var flags: Flags
    /// Of `AlertLevel.allCases` in the lowest two bits, above them `backoff`, and `isShortLived`.
    private var levelAndBackoff: UInt8
    /// Of `PushFailure`, or 0.
    private var failureNumber: UInt8 = 0
    /// `tokenBytes` in the lowest seven bits, above them `isProven`.
    private var tokenBytesAndProof: UInt8 = 0

    init(
        key: RosterKey, tokenAt: Double, delivered: UInt32 = 0, alertedThrough: UInt32 = 0, flags: Flags, level: UInt8
    ) {
        self.key = key
        self.tokenAt = tokenAt
        self.delivered = delivered
        self.alertedThrough = alertedThrough
        self.flags = flags
        levelAndBackoff = level
    }

    // MARK: - What becomes of pushes

    /// A push has left.
    /// - Parameters:
    ///   - alert: the version of the newest alert that it tells; 0 without one.
    ///   - serial: of the provider token that it shows.
    ///   - isFirst: of its version.
    mutating func sent(stamp: UInt32, alert: UInt32, serial: Int, isFirst: Bool) {
        underWay = stamp
        tried = stamp
        alertedBefore = alertedThrough
        if alert != 0 { alertedThrough = alert }
        flags.remove(.repeatsFreely)
        if serial.isMultiple(of: 2) { flags.remove(.showsOddToken) } else { flags.insert(.showsOddToken) }
        if isFirst { failure = nil }
    }

    mutating func accepted(stamp: UInt32) {
        delivered = max(delivered, stamp)
        isShortLived = toldAlert
        backoff = 0
        flags.subtract([.repeatsQuietly, .isNew])
    }

    /// It was not processed: the alert is still to be told, if it stays fresh.
    mutating func refused() { alertedThrough = alertedBefore }

    /// The phone may have got it: the alert is never repeated.
    mutating func unanswered() { flags.insert(.repeatsQuietly) }

    /// The push under way, or the last one that was not refused, told an alert.
    var toldAlert: Bool { alertedThrough != alertedBefore }

    // MARK: - Packed fields

    var level: UInt8 {
        get { levelAndBackoff & 3 }
        set { levelAndBackoff = levelAndBackoff & ~3 | newValue & 3 }
    }

    /// How long it waited before the last try, as a power of two of `backoffUnit`, and one more; 0: the last push was taken, or
    /// there was none.
    var backoff: UInt8 {
        get { levelAndBackoff >> 2 & 31 }
        set { levelAndBackoff = levelAndBackoff & ~(31 << 2) | min(newValue, 31) << 2 }
    }

    static let backoffUnit = Duration.milliseconds(20)

    /// The wait before the next try: twice the last one, in these bounds.
    mutating func nextWait(from first: Duration, to most: Duration) -> Duration {
        let last = backoff == 0 ? .zero : Self.backoffUnit * (1 << (Int(backoff) - 1))
        let wait = min(max(first, last * 2), most)
        let units = Int((wait / Self.backoffUnit).rounded(.up))
        backoff = UInt8(Int.bitWidth - max(units - 1, 0).leadingZeroBitCount) + 1
        return wait
    }

    /// What it was sent last came with an alert, or may have: APNs gives it up a minute after the event.
    var isShortLived: Bool {
        get { levelAndBackoff & 128 != 0 }
        set { levelAndBackoff = levelAndBackoff & 127 | (newValue ? 128 : 0) }
    }

    /// Why the version last tried has not been taken; nil: nothing is known against it.
    var failure: PushFailure? {
        get { failureNumber == 0 ? nil : PushFailure(rawValue: failureNumber) }
        set { failureNumber = newValue?.rawValue ?? 0 }
    }

    /// Bytes of the token in its place, 80 at most, or 0: it is elsewhere.
    var tokenBytes: UInt8 {
        get { tokenBytesAndProof & 127 }
        set { tokenBytesAndProof = tokenBytesAndProof & 128 | newValue & 127 }
    }

    /// APNs has taken a push to its token.
    var isProven: Bool {
        get { tokenBytesAndProof & 128 != 0 }
        set { tokenBytesAndProof = tokenBytesAndProof & 127 | (newValue ? 128 : 0) }
    }

    var alertLevel: AlertLevel { AlertLevel.allCases[Int(level)] }
}

/// Names an activity within its match: 128 bits of hashes of user and device, seeded anew in each process so that no two can be made
/// the same, and of its generation.
package struct RosterKey: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(user: UserID, device: DeviceID, generation: Int) {
        var phone = Hasher()
        phone.combine(user)
        phone.combine(device)
        self.init(high: Self.account(of: user), low: Self.hash(phone) &+ Self.step(generation))
    }

    /// A hash of the user alone.
    package static func account(of user: UserID) -> UInt64 {
        var account = Hasher()
        account.combine(user)
        return hash(account)
    }

    private static func hash(_ hasher: consuming Hasher) -> UInt64 { UInt64(bitPattern: Int64(hasher.finalize())) }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// What generations are apart: an odd number, so that no two of them meet.
    private static func step(_ generation: Int) -> UInt64 {
        UInt64(bitPattern: Int64(generation)) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Names the phone that an activity is on, as its generation 0.
    /// - Parameter generation: of this one.
    package func phone(generation: Int) -> Self { Self(high: high, low: low &- Self.step(generation)) }

    package init(_ key: ActivityKey) { self.init(user: key.userID, device: key.deviceID, generation: key.generation) }

    package static func == (one: Self, other: Self) -> Bool { one.low == other.low && one.high == other.high }

    package func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// Whose activity it is.
    package var account: UInt64 { high }

    /// A hash already.
    package var bits: UInt64 { low }
}
