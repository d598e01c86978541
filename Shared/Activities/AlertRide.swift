public import SightscreenModels

/// The alerts of one match that may still be told. An alert whose version was skipped rides on the next one while it is
/// fresh: a phone that has several still to hear is told all of them by one push.
public struct AlertRide: Sendable {
    public struct Entry: Sendable, Hashable {
        public let version: MatchVersion
        public let alert: MatchAlert
        /// The provider took back the event of its title: it is told no more.
        public fileprivate(set) var isRetracted = false
        /// The version of the alert that this one corrects, while that one is remembered.
        public fileprivate(set) var corrects: MatchVersion?
    }

    /// Some of `entries`: what one push tells.
    public struct Riders: Sendable, Hashable {
        fileprivate var places: UInt8 = 0

        /// None.
        public init() {}

        public var isEmpty: Bool { places == 0 }
    }

    /// More than come within half a minute. Each of them has a place in `Riders`.
    public static let entriesMax = 8
    /// Longest body of a push that tells several, in characters.
    public static let bodyMax = 200

    /// Seconds that an alert is news after its event.
    public let freshness: Int
    /// Oldest first.
    public private(set) var entries: [Entry] = []
    /// Keys of events that were taken back, by the version that did so.
    private var retracted: [MatchVersion: [String]] = [:]

    public init(freshness: Int) { self.freshness = freshness }

    /// - Parameter retracted: keys of events that this version takes back.
    /// - Returns: whether `entries` are others now.
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
                // The first is the one of the title: what else the alert names does not make it untrue.
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

    /// All fresh alerts that a phone has not had.
    /// - Parameters:
    ///   - after: the last alert that the phone was told or that was lost on the way to it.
    ///   - now: seconds since 1970.
    ///   - isAllowed: whether this phone wants it and it is claimed for it.
    public func riders(after: MatchVersion?, now: Int, where isAllowed: (Entry) -> Bool) -> Riders {
        var riders = Riders()
        for place in entries.indices {
            guard !entries[place].isRetracted, isFresh(entries[place], now: now),
                after.map({ $0 < entries[place].version }) ?? true, isAllowed(entries[place])
            else { continue }
            riders.places |= 1 << UInt8(place)
        }
        return riders
    }

    /// The version of the newest one; nil of none.
    public func newest(of riders: Riders) -> MatchVersion? {
        guard !riders.isEmpty else { return nil }
        let place = riders.places.bitWidth - 1 - riders.places.leadingZeroBitCount
        return place < entries.count ? entries[place].version : nil
    }

    /// What a push says that tells them all: the newest one, whose body goes on with the headlines of the others. It has
    /// sound, and is for those who want key alerts only, if one of them is. Nil of none.
    public func alert(of riders: Riders) -> MatchAlert? {
        let told = entries.indices.filter { riders.places & 1 << UInt8($0) != 0 }.map { entries[$0].alert }
        guard var alert = told.last else { return nil }
        let others = told.dropLast()
        guard !others.isEmpty else { return alert }
        alert.sound = told.contains(where: \.sound)
        alert.isKey = told.contains(where: \.isKey)
        alert.body = Self.body(alert, others.reversed().map(\.title))
        return alert
    }

    /// Headlines as long as there is room for them, and how many there are beyond.
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

    /// Whether there is an alert that may still be told.
    public func hasFresh(now: Int) -> Bool { entries.contains { isFresh($0, now: now) } }

    /// Forgets what is no longer news.
    /// - Returns: whether there was anything.
    @discardableResult
    public mutating func expire(now: Int) -> Bool {
        let count = entries.count
        entries = entries.filter { isFresh($0, now: now) }
        // What is taken back is older than the version that does so.
        if let oldest = entries.first?.version {
            retracted = retracted.filter { $0.key > oldest }
        } else {
            retracted = [:]
        }
        return entries.count != count
    }
}
