import FoundationEssentials
import HTTPClient
import OperatorTool
import TestKit
import Testing

/// What an operator sees of a match at `/metrics` of each service.
struct MetricsCheck {
    let suite: RunningSuite

    init(_ suite: RunningSuite) { self.suite = suite }

    /// By service: names, or whole series where the number is known.
    static let shown: [String: [String]] = [
        "score-poller": [
            #"sightscreen_leases_held{kind="poll"} 1"#, #"sightscreen_leases_acquired_total{kind="poll"} 1"#,
            "sightscreen_frames_waiting 0", #"sightscreen_polls_total{outcome="ok"}"#,
            #"sightscreen_socket_connections{end="client",service="event-bus"} 1"#,
            #"sightscreen_socket_frames_dropped_total{end="client",service="event-bus"} 0"#,
        ],
        "event-bus": [
            #"sightscreen_leases_acquired_total{kind="match"}"#, "sightscreen_frame_age_seconds_count",
            "sightscreen_match_frame_age_seconds", "sightscreen_match_version_age_seconds",
            #"sightscreen_socket_connections{end="client",service="la-coordinator"} 1"#,
            #"sightscreen_socket_connections{end="server",service="event-bus"} 1"#,
        ],
        "la-coordinator": [
            #"sightscreen_leases_held{kind="shard"} 64"#, #"sightscreen_leases_lost_total{kind="shard"} 0"#,
            #"sightscreen_leases_released_total{kind="shard"} 0"#,
            #"sightscreen_version_delay_seconds_count{source="message"}"#, "sightscreen_fanout_first_seconds_count",
            "sightscreen_fanout_seconds_count", "sightscreen_fanout_lag_seconds 0",
            "sightscreen_fanout_stuck_seconds 0", "sightscreen_phones 0",
            #"sightscreen_apns_connections{environment="production"}"#,
            #"sightscreen_pushes_in_flight{environment="production"} 0"#, "sightscreen_apns_token_age_seconds",
            "sightscreen_stalls_total", "sightscreen_fanout_reports_waiting 0", "sightscreen_token_keys_missing 0",
            #"sightscreen_socket_connections{end="server",service="la-coordinator"}"#,
        ],
        "orchestrator": [
            #"sightscreen_leases_held{kind="orchestrator"} 1"#, "sightscreen_matches_in_play",
            #"sightscreen_orchestrator_passes_total{outcome="ok"}"#,
        ],
        "api-gateway": [
            "sightscreen_registrations_waiting 0", "sightscreen_registrations_in_flight 0",
            #"sightscreen_http_requests_total{"#, "sightscreen_token_keys_missing 0",
        ],
    ]

    /// Every service that has a database.
    static let everywhere = [
        "sightscreen_ready 1", "process_start_time_seconds", "process_max_fds",
        #"sightscreen_database_connections{state="shared"}"#, "sightscreen_database_waiting 0",
        "sightscreen_database_wait_seconds_count", "sightscreen_database_query_seconds_count",
    ]

    func check() async throws {
        for (service, lines) in Self.shown.sorted(by: { $0.key < $1.key }) {
            var text = ""
            var missing: [String] = []
            do {
                try await eventually("/metrics of \(service) shows all") {
                    text = try await metrics(of: service)
                    missing = (lines + Self.everywhere).filter { !Self.shows(text, $0) }
                    return missing.isEmpty
                }
            } catch {
                Issue.record("\(service) does not show \(missing)")
            }

            #expect(Self.shows(text, "sightscreen_metric_series_refused_total 0"), "\(service)")
        }
    }

    /// A whole series ends its line; a name is followed by its labels or its number.
    private static func shows(_ text: String, _ wanted: String) -> Bool {
        text.split(separator: "\n").contains { line in
            guard line.hasPrefix(wanted) else { return false }
            let rest = line.dropFirst(wanted.count)
            return rest.isEmpty || rest.first == " " || rest.first == "{" || wanted.hasSuffix("{")
        }
    }

    private func metrics(of service: String) async throws -> String {
        let file = "\(suite.endpoints.runDirectory)/\(service)/\(service).health"
        let address = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let answer = try await suite.http.send(
            HTTPClientRequest(url: "http://\(address.filter { !$0.isWhitespace })/metrics"))
        return String(decoding: answer.body, as: UTF8.self)
    }
}
