/// What the metrics of the modules mean that services have in common.
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
        "sightscreen_leases_held": "Leases that this process holds and trusts.",
        "sightscreen_leases_taken_total": "Leases that came to this process.",
        "sightscreen_leases_lost_total": "Leases that this process lost while it wanted them.",
        "sightscreen_leases_handed_over_total": "Leases that this process let go of for others to take.",
        "sightscreen_socket_connections": "Connections over the sockets of a service, seen from this end of them.",
        "sightscreen_socket_frames_dropped_total":
            "Frames that did not go out because their reader was too slow, which lost its connection.",
        "sightscreen_frames_waiting": "Matches whose newest frame is not committed yet.",
        "sightscreen_frame_age_seconds": "From the provider's answer to the commit of the version it led to.",
        "sightscreen_match_frame_age_seconds": "Since the last frame of the match here that is silent for longest.",
        "sightscreen_match_version_age_seconds": "Since the last version of the match here that is silent for longest.",
        "sightscreen_matches_in_play": "Matches in play, said by the orchestrator in charge.",
        "sightscreen_registrations_waiting": "Activity tokens on their way into the database.",
        "sightscreen_registrations_in_flight": "Of these, those in a statement that is under way.",
    ]
}
