public import SightscreenModels
/// The fresh alerts of one match. An alert whose version was skipped is merged into the next push while it is fresh: a
/// phone that lacks several gets all of them in one push.
public struct FreshAlerts: Sendable {
    public struct Entry: Sendable, Hashable {
        public let version: MatchVersion
        public let alert: MatchAlert
        /// The provider retracted the event of the alert's title: the alert is not sent any more.
        public fileprivate(set) var isRetracted = false
        /// The version of the alert that this one corrects, while that alert is kept.
        public fileprivate(set) var corrects: MatchVersion?
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
    private var retracted: [MatchVersion: [String]] = [:]

    package init(freshness: Int) { self.freshness = freshness }

    /// Takes in a version.
    /// - Parameter keys: keys of the events that this version retracts.
    /// - Returns: whether `entries` have changed.
    @discardableResult
    public mutating func published(_ version: MatchVersion, _ alert: MatchAlert?, retracted keys: [String] = []) -> Bool
    {
        let before = entries
        if !keys.isEmpty { retracted[version] = keys }
        if let alert, !entries.contains(where: { $0.version == version }) {
            entries.append(Entry(version: version, alert: alert))
            entries.sort { $0.version < $1.version }
            if entries.count > Self.entriesMax { entries.removeFirst(entries.count - Self.entriesMax) }
        }
        if !retracted.isEmpty { noteRetracted() }
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
    ///   - after: the version of the last alert that was sent to the phone, delivered or lost on its way; nil for none.
    ///   - now: seconds since 1970.
    ///   - isAllowed: whether the phone wants the alert and it is claimed for the phone.
    public func selection(after: MatchVersion?, now: Int, where isAllowed: (Entry) -> Bool) -> Selection {
        var selection = Selection()
        for place in entries.indices {
            guard !entries[place].isRetracted, isFresh(entries[place], now: now),
                after.map({ $0 < entries[place].version }) ?? true, isAllowed(entries[place])
            else { continue }
            selection.places |= 1 << UInt8(place)
        }
        return selection
    }

    /// Returns the version of the newest alert of a selection; nil when it is empty.
    public func newest(of selection: Selection) -> MatchVersion? {
        guard !selection.isEmpty else { return nil }
        let place = selection.places.bitWidth - 1 - selection.places.leadingZeroBitCount
        return place < entries.count ? entries[place].version : nil
    }

    /// Returns when the first alert of a selection ceases to be fresh, in seconds since 1970; nil when it is empty.
    package func freshUntil(_ selection: Selection) -> Int? {
        alerts(of: selection).map(\.eventAt).min().map { $0 + freshness }
    }

    /// Returns the alert of a push that carries them all: the newest one, whose body continues with the headlines of
    /// the others. It has sound, or counts as a key alert, if one of them does. Nil when the selection is empty.
    public func alert(of selection: Selection) -> MatchAlert? {
        let told = alerts(of: selection)
        guard var alert = told.last else { return nil }
        let others = told.dropLast()
        guard !others.isEmpty else { return alert }
        alert.sound = told.contains(where: \.sound)
        alert.isKey = told.contains(where: \.isKey)
        alert.body = Self.body(alert, others.reversed().map(\.title))
        return alert
    }

    private func alerts(of selection: Selection) -> [MatchAlert] {
        entries.indices.filter { selection.places & 1 << UInt8($0) != 0 }.map { entries[$0].alert }
    }

    /// Joins the body and as many headlines as there is room for, and says how many more there are.
    private static func body(_ alert: MatchAlert, _ headlines: [String]) -> String {
        func joined(_ named: Int) -> String {
            let unnamed = headlines.count - named
            let rest = unnamed > 0 ? ["and \(unnamed) more"] : []
            return ([alert.body] + headlines.prefix(named) + rest).filter { !$0.isEmpty }.joined(separator: " · ")
        }
        let named = (0...headlines.count).last { joined($0).count <= bodyMax }
        return named.map(joined) ?? alert.body
    }

    public func isFresh(_ entry: Entry, now: Int) -> Bool { now - entry.alert.eventAt <= freshness }
    /// Whether an alert is still fresh.
    public func hasFresh(now: Int) -> Bool { entries.contains { isFresh($0, now: now) } }

    /// Forgets alerts that are no longer fresh.
    /// - Returns: whether any were forgotten.
    @discardableResult
    public mutating func expire(now: Int) -> Bool {
        let count = entries.count
        entries = entries.filter { isFresh($0, now: now) }
        // A retraction is only about older versions, so one that is older than all entries is forgotten.
        if let oldest = entries.first?.version {
            retracted = retracted.filter { $0.key > oldest }
        } else {
            retracted = [:]
        }
        return entries.count != count
    }
}
