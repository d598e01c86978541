package import Activities
package import SightscreenModels

/// One active activity in a cohort. It is packed as small as possible, because one match may have a million of them.
struct CohortRow {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isUsed = Flags(rawValue: 1)
        /// The token is new: its first state is sent at once, at priority 10.
        static let isNew = Flags(rawValue: 2)
        /// An earlier push has an unknown outcome: the state is repeated at priority 5, without the alert it carried.
        static let repeatsQuietly = Flags(rawValue: 4)
        /// The push in flight, or the last one, shows a provider token with an odd serial.
        static let showsOddToken = Flags(rawValue: 8)
        /// The row is queued for a retry, or waits for a fresh stamp, for room in the retry budget, or for a time.
        static let isQueued = Flags(rawValue: 16)
        /// The activity was removed while a push was in flight; the answer frees the slot.
        static let isDraining = Flags(rawValue: 32)
        /// The phone's user has switched frequent updates off.
        static let isInfrequent = Flags(rawValue: 64)
        /// APNs did not look at the last push, or refused it for a reason that lies elsewhere: another push costs APNs
        /// nothing more and counts as no repetition.
        static let repeatsFreely = Flags(rawValue: 128)
    }

    var key: RosterKey
    /// When the token was registered, seconds since 1970.
    var tokenAt: Double
    /// The stamp that the phone shows; 0 when that is not known.
    var delivered: UInt32 = 0
    /// The stamp of the push in flight; 0 when there is none.
    var inFlightStamp: UInt32 = 0
    /// The stamp of the last push, whatever its outcome; 0 when there was none.
    var tried: UInt32 = 0
    /// The stamp that the last alert which was sent to the phone was committed with, delivered or lost on its way; 0 for
    /// none.
    var alertedThrough: UInt32 = 0
    /// The value of `alertedThrough` before the push in flight.
    var alertedBefore: UInt32 = 0
    /// The newest stamp that APNs has accepted; 0 when none is known. `delivered` says less: it moves past a version
    /// that cannot be sent, and a channel's goes back when its state is to be repeated.
    private(set) var acceptedStamp: UInt32
    var flags: Flags
    /// The index in `AlertLevel.allCases` in the lowest two bits, then five bits of `backoff`, then `isShortLived`.
    private var levelAndBackoff: UInt8
    /// The raw value of the last `PushFailure`; 0 for none.
    private var failureNumber: UInt8 = 0
    /// `tokenBytes` in the lowest seven bits, and `isProven` in the highest.
    private var tokenBytesAndProof: UInt8 = 0
    /// The phone waits because of what APNs said of its own token.
    var isBackingOff = false

    init(
        key: RosterKey, tokenAt: Double, delivered: UInt32 = 0, alertedThrough: UInt32 = 0, flags: Flags, level: UInt8
    ) {
        self.key = key
        self.tokenAt = tokenAt
        self.delivered = delivered
        acceptedStamp = delivered
        self.alertedThrough = alertedThrough
        self.flags = flags
        levelAndBackoff = level
    }

    // MARK: - Outcomes of pushes

    /// Notes a push that has left.
    /// - Parameters:
    ///   - alert: the stamp that the newest alert which it carries was committed with; 0 for none.
    ///   - serial: the serial of the provider token that it shows.
    ///   - isFirst: it is the first push of its version to this phone.
    mutating func sent(stamp: UInt32, alert: UInt32, serial: Int, isFirst: Bool) {
        inFlightStamp = stamp
        tried = stamp
        alertedBefore = alertedThrough
        if alert != 0 { alertedThrough = alert }
        flags.remove(.repeatsFreely)
        if serial.isMultiple(of: 2) { flags.remove(.showsOddToken) } else { flags.insert(.showsOddToken) }
        if isFirst { failure = nil }
    }

    mutating func accepted(stamp: UInt32) {
        delivered = max(delivered, stamp)
        acceptedStamp = max(acceptedStamp, stamp)
        isBackingOff = false
        isShortLived = carriesAlert
        backoff = 0
        flags.subtract([.repeatsQuietly, .isNew])
    }
    /// Notes a push that was not processed: its alert is still due while it is fresh.
    mutating func refused() { alertedThrough = alertedBefore }

    /// Notes a push without an answer: the phone may have got it, so its alert is never repeated.
    mutating func unanswered() { flags.insert(.repeatsQuietly) }
    /// Whether the push in flight, or the last one that was not refused, carries an alert.
    var carriesAlert: Bool { alertedThrough != alertedBefore }

    // MARK: - Packed fields

    var level: UInt8 {
        get { levelAndBackoff & 3 }
        set { levelAndBackoff = levelAndBackoff & ~3 | newValue & 3 }
    }

    /// One more than the binary logarithm of the wait before the last try, in `backoffUnit`; 0 when the last push was
    /// accepted or there was none.
    var backoff: UInt8 {
        get { levelAndBackoff >> 2 & 31 }
        set { levelAndBackoff = levelAndBackoff & ~(31 << 2) | min(newValue, 31) << 2 }
    }

    static let backoffUnit = Duration.milliseconds(20)

    /// Returns the wait before the next try: twice the last one, within these bounds.
    mutating func nextWait(from first: Duration, to most: Duration) -> Duration {
        let last = backoff == 0 ? .zero : Self.backoffUnit * (1 << (Int(backoff) - 1))
        let wait = min(max(first, last * 2), most)
        let units = Int((wait / Self.backoffUnit).rounded(.up))
        backoff = UInt8(Int.bitWidth - max(units - 1, 0).leadingZeroBitCount) + 1
        return wait
    }
    /// Whether the last push may have carried an alert: APNs drops such a push a minute after the event.
    var isShortLived: Bool {
        get { levelAndBackoff & 128 != 0 }
        set { levelAndBackoff = levelAndBackoff & 127 | (newValue ? 128 : 0) }
    }

    /// The reason why the version last tried was not accepted; nil when there is none.
    var failure: PushFailure? {
        get { failureNumber == 0 ? nil : PushFailure(rawValue: failureNumber) }
        set { failureNumber = newValue?.rawValue ?? 0 }
    }

    /// The number of token bytes beside the row, at most 80; 0 when the token is kept elsewhere.
    var tokenBytes: UInt8 {
        get { tokenBytesAndProof & 127 }
        set { tokenBytesAndProof = tokenBytesAndProof & 128 | newValue & 127 }
    }

    /// Whether APNs has accepted a push to the token.
    var isProven: Bool {
        get { tokenBytesAndProof & 128 != 0 }
        set { tokenBytesAndProof = tokenBytesAndProof & 127 | (newValue ? 128 : 0) }
    }

    /// A hash of the token as it is registered.
    var tokenHash: Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(tokenAt)
        return hasher.finalize()
    }

    var alertLevel: AlertLevel { AlertLevel.allCases[Int(level)] }
}

/// Identifies an activity within its match: 128 bits of hashes of user and device, and of its generation. The hashes
/// are seeded anew in each process, so that a client cannot construct two equal keys.
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

    /// The distance between the keys of two generations: multiples of an odd number, so that no two generations share a
    /// key.
    private static func step(_ generation: Int) -> UInt64 {
        UInt64(bitPattern: Int64(generation)) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Returns the key of the phone that the activity is on, which is the key of generation 0.
    /// - Parameter generation: the generation of this key.
    package func phone(generation: Int) -> Self { Self(high: high, low: low &- Self.step(generation)) }

    package init(_ key: ActivityKey) { self.init(user: key.userID, device: key.deviceID, generation: key.generation) }

    package static func == (one: Self, other: Self) -> Bool { one.low == other.low && one.high == other.high }

    package func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// A hash of the user who owns the activity.
    package var account: UInt64 { high }

    /// The lower half of the key, which is a hash already.
    package var bits: UInt64 { low }
}
