/// How a log line is written.
enum LogFormat: String, CaseIterable, Sendable {
    /// For people: `2026-11-21T09:46:04.123Z info  score-poller  Match went live  match.id=1304076`.
    case text
    /// One JSON object a line.
    case json
}
