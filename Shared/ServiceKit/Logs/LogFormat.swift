/// The form of a log line.
enum LogFormat: String, CaseIterable, Sendable {
    /// A line for people: `2026-11-21T09:46:04.123Z info  score-poller  Match went live  match.id=1304076`.
    case text
    /// A line with one JSON object.
    case json
}
