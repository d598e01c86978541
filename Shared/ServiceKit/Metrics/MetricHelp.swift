/// What the metrics mean of the modules that services have in common, and of services that do not describe their own.
/// `Tests/DeployTests/metrics.py` finds those without a description.
enum MetricHelp {
    static let all = [
        "sightscreen_log_lines_dropped_total": "Log lines that nobody read in time.",
        "sightscreen_spans_exported_total": "Spans that the collector took.",
        "sightscreen_spans_dropped_total":
            "Spans that were dropped: too many waited (full), or the collector did not take them (collector).",
        "sightscreen_database_connections":
            "Connections to PostgreSQL: shared by plain queries, leased for transactions, being opened.",
        "sightscreen_database_waiting": "Queries and transactions that wait for a connection.",
        "sightscreen_database_wait_seconds": "How long those waited that had to wait for a connection.",
        "sightscreen_database_query_seconds": "From a query's being sent to its answer.",
        "sightscreen_database_failures_total": "Queries that failed, by what went wrong.",
        "sightscreen_database_certificate_end_seconds":
            "Unix time at which the database's certificate ends, and the first of its authorities' (server, authority).",
        "sightscreen_clock_offset_seconds": "By how much this machine's clock is ahead of PostgreSQL's.",
        "sightscreen_leases_held": "Leases that this process holds and trusts.",
        "sightscreen_token_keys_missing": "Keys in use for push tokens that TOKEN_KEY_FILE does not have.",
        "sightscreen_tokens_damaged_total": "Stored push tokens that could not be decrypted, and were left out.",
        "sightscreen_leases_acquired_total": "Leases that this process acquired.",
        "sightscreen_leases_lost_total": "Leases that this process lost while it wanted them.",
        "sightscreen_leases_released_total": "Leases that this process released for others to acquire.",
        "sightscreen_socket_connections": "Connections over the sockets of a service, seen from this end of them.",
        "sightscreen_socket_connections_broken_total":
            "Connections over the sockets of a service closed for what came on them: a bad frame, another user, one too many.",
        "sightscreen_socket_frames_dropped_total":
            "Frames that did not go out because their reader was too slow, which lost its connection.",
        "sightscreen_frames_waiting": "Matches whose newest frame is not committed yet.",
        "sightscreen_frame_age_seconds": "From the provider's answer to the commit of the version it led to.",
        "sightscreen_match_frame_age_seconds": "Since the last frame, of the match in play silent for longest.",
        "sightscreen_match_version_age_seconds": "Since the last version, of the match in play silent for longest.",
        "sightscreen_matches_in_play": "Matches in play, said by the orchestrator in charge.",
        "sightscreen_registrations_waiting": "Activity tokens on their way into the database.",
        "sightscreen_registrations_in_flight": "Of these, those in a statement that is under way.",
        "sightscreen_polls_total": "Calls of the provider for what is live, by what came of them.",
        "sightscreen_poll_age_seconds": "Since the provider's last answer that could be read, by poll group.",
        "sightscreen_provider_calls_left": "Calls that the hourly limit leaves of an endpoint.",
        "sightscreen_provider_answer_bytes": "Size of the provider's answers with all live matches.",
        "sightscreen_frames_skipped_total": "Frames that told nothing new, and were not offered to an event-bus.",
        "sightscreen_frames_total":
            "Frames by what the event-bus made of them: as it said, or as the poller heard it (unanswered).",
        "sightscreen_frame_bytes": "Size of frames that told something new.",
        "sightscreen_versions_total": "Versions of matches that were committed, by priority.",
        "sightscreen_events_total": "Events in committed versions, by kind.",
        "sightscreen_events_retracted_total": "Events that the provider took back.",
        "sightscreen_matches_silent_total":
            "Matches that were ended without a result: nobody reported them any more, or an operator ended them.",
        "sightscreen_orchestrator_passes_total": "Passes of the orchestrator in charge, by how they ended.",
        "sightscreen_orchestrator_pass_seconds": "How long a pass of the orchestrator took.",
        "sightscreen_fixture_syncs_total": "Readings of the provider's schedule, by how they ended.",
        "sightscreen_fixtures_synced": "Fixtures in the last reading of the schedule.",
        "sightscreen_activities_created_total": "Activities that were made for followers' phones, still to be started.",
        "sightscreen_activities_ended_total": "Activities that were ended, by reason.",
        "sightscreen_renewals_due_total": "Activities that were due for renewal.",
        "sightscreen_start_fallbacks_total":
            "Phones that came to a step because they did not answer to starts; none: a start was answered after all.",
        "sightscreen_devices_in_fallback": "Phones at each of these steps at the last pass.",
        "sightscreen_http_requests_total": "Requests that were answered, by method, route and status.",
        "sightscreen_http_request_seconds": "From a request's arrival to its answer, by route.",
        "sightscreen_http_connections": "Open connections of clients.",
        "sightscreen_http_refused_total": "Connections and requests that were refused before they reached a route.",
        "sightscreen_tokens_moved_total": "Push tokens that moved from one user to another, by kind.",
        "sightscreen_security_events_total":
            "What somebody who guards the system should look at, by event (security.md).",
        "sightscreen_http_limited_total": "Requests that were refused for a rate limit, by limit.",
    ]
}
