public import SightscreenModels
/// The fresh alerts of one match. An alert whose version was skipped is merged into the next push while it is fresh: a
/// phone that lacks several gets all of them in one push.
public struct FreshAlerts: Sendable {
    public struct Entry: Sendable, Hashable {
        public let version: StampedVersion
        public let alert: MatchAlert
        /// The provider retracted the event of the alert's title: the alert is not sent any more.
        public fileprivate(set) var isRetracted = false
        /// Keys of the alert's events that the match has moved past.
        public fileprivate(set) var overtaken: Set<String> = []
        /// The version of the alert that this one corrects, while that alert is kept.
        public fileprivate(set) var corrects: StampedVersion?
    }

    /// Some of the `entries`: those that one push carries.
    public struct Selection: Sendable, Hashable {
        fileprivate var places: UInt8 = 0

        /// The empty selection.
        public init() {}

        public var isEmpty: Bool { places == 0 }
    }

    /// The most entries kept: more than come within half a minute. Each has a bit in `Selection`.
    public static let entriesMax = 8
    /// The longest body of a push that carries several alerts, in characters.
    public static let bodyMax = 200

    /// Seconds for which an alert is fresh after its event.
    public let freshness: Int
    /// The entries, oldest first.
    public private(set) var entries: [Entry] = []
    /// Keys of retracted events, by the version that retracted them.
    private var retracted: [StampedVersion: [String]] = [:]
    /// Keys of overtaken events, by the version that overtook them.
    private var overtaken: [StampedVersion: [String]] = [:]

    package init(freshness: Int) { self.freshness = freshness }

    /// Takes in a version.
    /// - Parameters:
    ///   - keys: keys of the events that this version retracts.
    ///   - passed: keys of the events that it overtakes.
    /// - Returns: whether `entries` have changed.
    @discardableResult
    public mutating func published(
        _ version: StampedVersion, _ alert: MatchAlert?, retracted keys: [String] = [], overtaken passed: [String] = []
    ) -> Bool {
        let before = entries
        if !keys.isEmpty { retracted[version] = keys }
        if !passed.isEmpty { overtaken[version] = passed }
        if let alert, !entries.contains(where: { $0.version == version }) {
            entries.append(Entry(version: version, alert: alert))
            entries.sort { $0.version < $1.version }
            if entries.count > Self.entriesMax { entries.removeFirst(entries.count - Self.entriesMax) }
        }
        if !retracted.isEmpty { noteRetracted() }
        for (version, keys) in overtaken {
            for index in entries.indices where entries[index].version < version {
                entries[index].overtaken.formUnion(Set(keys).intersection(entries[index].alert.eventKeys ?? []))
            }
        }
        return entries != before
    }

    private mutating func noteRetracted() {
        for (version, keys) in retracted {
            for index in entries.indices where entries[index].version < version {
                // The first key is that of the title; a retraction of another event in the alert does not make the
                // title untrue.
                guard let title = entries[index].alert.eventKeys?.first, keys.contains(title) else { continue }
                entries[index].isRetracted = true
                let corrected = entries[index].version
                guard let place = entries.firstIndex(where: { $0.version == version }),
                    entries[place].alert.kind == .correction
                else { continue }
                entries[place].corrects = corrected
            }
        }
    }

    /// Returns all fresh alerts that a phone has not had.
    /// - Parameters:
    ///   - after: the stamp of the last alert that was sent to the phone, delivered or lost on its way; nil for none.
    ///   - now: seconds since 1970.
    ///   - isAllowed: whether the phone wants the alert and it is claimed for the phone.
    public func selection(after: Stamp?, now: Int, where isAllowed: (Entry) -> Bool) -> Selection {
        var selection = Selection()
        for place in entries.indices {
            guard !entries[place].isRetracted, !entries[place].isOvertaken, isFresh(entries[place], now: now),
                after.map({ $0 < entries[place].version.stamp }) ?? true, isAllowed(entries[place])
            else { continue }
            selection.places |= 1 << UInt8(place)
        }
        return selection
    }

    /// Returns the version of the newest alert of a selection; nil when it is empty.
    public func newest(of selection: Selection) -> StampedVersion? {
        guard !selection.isEmpty else { return nil }
        let place = selection.places.bitWidth - 1 - selection.places.leadingZeroBitCount
        return place < entries.count ? entries[place].version : nil
    }

    /// The entries of a selection, oldest first.
    func entries(of selection: Selection) -> [Entry] {
        entries.indices.filter { selection.places & 1 << UInt8($0) != 0 }.map { entries[$0] }
    }

    /// Returns when the first alert of a selection ceases to be fresh, in seconds since 1970; nil when it is empty.
    package func freshUntil(_ selection: Selection) -> Int? {
        entries(of: selection).map(\.alert.eventAt).min().map { $0 + freshness }
    }

    public func isFresh(_ entry: Entry, now: Int) -> Bool { now - entry.alert.eventAt <= freshness }
    /// Whether an alert is still fresh.
    public func hasFresh(now: Int) -> Bool { entries.contains { isFresh($0, now: now) } }

    /// Whether an alert is kept that is not fresh any more.
    package func hasStale(now: Int) -> Bool { entries.contains { !isFresh($0, now: now) } }

    /// Forgets alerts that are no longer fresh.
    /// - Returns: whether any were forgotten.
    @discardableResult
    public mutating func expire(now: Int) -> Bool {
        let count = entries.count
        entries = entries.filter { isFresh($0, now: now) }
        // A retraction is only about older versions, so one that is older than all entries is forgotten.
        let oldest = entries.first?.version
        retracted = retracted.filter { version, _ in oldest.map { version > $0 } ?? false }
        overtaken = overtaken.filter { version, _ in oldest.map { version > $0 } ?? false }
        return entries.count != count
    }
}
