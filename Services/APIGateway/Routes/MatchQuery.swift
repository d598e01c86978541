import SightscreenModels
import Store

/// The query of `GET /matches`, and the parameters that all lists in pages share.
enum MatchQuery {
    static let limit = Operation.Parameter(
        name: "limit", schema: .integer(1...GatewayLimits.pageMax),
        about: "How many on a page, \(GatewayLimits.pageDefault) if not given.")
    static let cursor = Operation.Parameter(
        name: "cursor", schema: .text(.cursor), about: "The nextCursor of the page before.")
    static let parameters = [
        Operation.Parameter(name: "date", schema: .text(.day), about: "In play on that day, UTC, or starting on it."),
        Operation.Parameter(name: "from", schema: .text(.dayOrMoment), about: "That start then or later."),
        Operation.Parameter(
            name: "to", schema: .text(.dayOrMoment), about: "That start before; a day is meant as a whole."),
        Operation.Parameter(name: "league", schema: .text(.number), about: "Of one league."),
        Operation.Parameter(
            name: "status", schema: .list(.choice(of: MatchStatus.self), max: 3),
            about: "In one of these states."),
        limit, cursor,
    ]

    /// - Parameter query: returns the value of a parameter, which has the parameter's form; nil if it was left out.
    static func filter(_ query: (String) -> String?) -> ScheduleStore.Filter {
        var filter = ScheduleStore.Filter(limit: query("limit").flatMap { Int($0) } ?? GatewayLimits.pageDefault)
        filter.day = query("date").flatMap { UTCDay($0) }.map { $0.startsAt..<($0 + 1).startsAt }
        filter.from = query("from").flatMap { UTCDay($0)?.startsAt ?? DateText.moment($0) }
        filter.until = query("to").flatMap { text in UTCDay(text).map { ($0 + 1).startsAt } ?? DateText.moment(text) }
        filter.leagueID = query("league").flatMap { Int64($0) }
        if let list = query("status") {
            filter.statuses = Set(list.split(separator: ",").compactMap { MatchStatus(rawValue: String($0)) })
        }
        filter.after = query("cursor").flatMap(position)
        return filter
    }

    static func cursor(_ position: ScheduleStore.Position) -> String { "\(position.startsAt)-\(position.match)" }

    static func position(_ cursor: String) -> ScheduleStore.Position? {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...12).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let startsAt = Int(parts[0]),
            parts[1].utf8.count <= 18, let match = MatchID(String(parts[1]))
        else { return nil }
        return ScheduleStore.Position(startsAt: startsAt, match: match)
    }
}
