import FoundationEssentials
import Messages
import Sightscreen
import Store

/// The query of `GET /matches`.
enum MatchQuery {
    /// - Parameter query: the value of a parameter, nil when it is left out.
    static func filter(_ query: (String) -> String?) throws -> ScheduleStore.Filter {
        var filter = ScheduleStore.Filter(limit: GatewayLimits.pageDefault)
        if let date = query("date") {
            guard query("from") == nil, query("to") == nil else {
                throw Problem.field("date", "cannot be given together with from or to")
            }
            guard let day = day(date) else { throw Problem.field("date", "must be YYYY-MM-DD") }
            filter.from = day
            filter.until = day + 86_400
        }
        if let from = query("from") {
            guard let time = time(from) else { throw Problem.field("from", timeForm) }
            filter.from = time
        }
        if let to = query("to") {
            // A day is meant as a whole.
            guard let time = day(to).map({ $0 + 86_400 }) ?? time(to) else { throw Problem.field("to", timeForm) }
            filter.until = time
        }
        if let league = query("league") {
            guard let id = MatchID(league) else { throw Problem.field("league", "must be a league id") }
            filter.leagueID = id.rawValue
        }
        if let list = query("status") {
            filter.statuses = Set(
                try list.split(separator: ",").map { name in
                    guard let status = MatchStatus(rawValue: String(name)) else {
                        throw Problem.field("status", "must be of upcoming, live, completed")
                    }
                    return status
                })
        }
        if let limit = query("limit") {
            guard let number = Int(limit), (1...GatewayLimits.pageMax).contains(number) else {
                throw Problem.field("limit", "must be 1 to \(GatewayLimits.pageMax)")
            }
            filter.limit = number
        }
        if let cursor = query("cursor") {
            guard let position = position(cursor) else { throw Problem.field("cursor", "is not one of ours") }
            filter.after = position
        }
        return filter
    }

    static func cursor(_ position: ScheduleStore.Position) -> String { "\(position.startsAt)-\(position.match)" }

    private static func position(_ cursor: String) -> ScheduleStore.Position? {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let startsAt = Int(parts[0]), let match = MatchID(String(parts[1])) else { return nil }
        return ScheduleStore.Position(startsAt: startsAt, match: match)
    }

    private static let timeForm = "must be YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"

    /// Seconds since 1970 of midnight UTC.
    private static func day(_ text: String) -> Int? {
        text.utf8.count == 10 ? time("\(text)T00:00:00Z") : nil
    }

    private static func time(_ text: String) -> Int? {
        if text.utf8.count == 10 { return day(text) }
        guard text.utf8.count <= 25, let date = try? Date(text, strategy: .iso8601) else { return nil }
        let seconds = date.timeIntervalSince1970
        return (0..<253_402_300_800).contains(seconds) ? Int(seconds) : nil
    }
}
