#!/usr/bin/env python3
"""Writes sightscreen.json, the dashboard: deploy/grafana/make.py [--check]

--check writes nothing, and fails when the file is not what this would write. Edit here, not in the file: thousands of lines of
JSON are nobody's to read."""

import json
import os
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sightscreen.json")
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
RATE = "[$__rate_interval]"
WIDTH = 24


def rate(name, labels="", by=None):
    inner = f"{{{labels}}}" if labels else ""
    return f"sum by ({by}) (rate({name}{inner}{RATE}))" if by else f"sum(rate({name}{inner}{RATE}))"


def quantiles(name, by="", labels=""):
    """The middle and the slow end; a legend is added."""
    inner = f"{{{labels}}}" if labels else ""
    group = f"le, {by}" if by else "le"
    legend = f" {{{{{by}}}}}" if by else ""
    return [
        (f"histogram_quantile({share}, sum by ({group}) (rate({name}_bucket{inner}{RATE})))", f"{text}{legend}")
        for share, text in ((0.5, "half"), (0.95, "95 %"), (0.99, "99 %"))
    ]


# A panel: title, what it tells, queries with legends, unit, width. `kind` is timeseries unless it says otherwise.
def panel(title, about, queries, unit="short", width=8, kind="timeseries", **more):
    return {"title": title, "about": about, "queries": queries, "unit": unit, "width": width, "kind": kind, **more}


def stat(title, about, query, unit="short", bad=None, width=4):
    return panel(title, about, [(query, "")], unit, width, "stat", bad=bad)


ROWS = [
    ("Now", [
        stat("Alerts firing", "deploy/prometheus/rules.yml; each says what to do", 'count(ALERTS{alertstate="firing",alertname=~"Sightscreen.*"}) or vector(0)', bad=1),
        stat("Matches in play", "As the orchestrator counts them at each pass", "max(sightscreen_matches_in_play)"),
        stat("Phones", "Running activities that coordinators reach, by token or by channel", "sum(sightscreen_phones)"),
        stat("Pushes a second", "All kinds, all outcomes", rate("sightscreen_pushes_total")),
        stat("Phones behind for", "Age of the oldest version that over one in a hundred of a match's phones, or a channel, lack", "max(sightscreen_fanout_lag_seconds)", "s", bad=20),
        stat("Holds", "Set by an operator; while there are any, pushes or alerts stay back", "max(sum by (instance) (sightscreen_holds))", bad=1),
        panel("Replicas", "Processes that can be scraped, by service", [("sum by (job) (up)", "{{job}}")], width=12),
        panel("Not ready", "Processes that run and cannot work; /health/ready of each says why", [("sum by (job) (1 - sightscreen_ready)", "{{job}}")], width=12),
    ]),
    ("Match freshness", [
        panel("Age of the newest answer", "Since the provider last gave a usable answer, by poll group. 5 s is usual, 60 s in the rain", [("max by (group) (sightscreen_poll_age_seconds)", "{{group}}")], "s"),
        panel("Polls by outcome", "Of all pollers; breakerOpen and overBudget are calls that were spared", [(rate("sightscreen_polls_total", by="outcome"), "{{outcome}}")], "ops"),
        panel("Calls left this hour", "Of what the plan allows", [("min by (endpoint) (sightscreen_provider_calls_left)", "{{endpoint}}")]),
        panel("Frame age at commit", "From the provider's answer to the version in the database", quantiles("sightscreen_frame_age_seconds"), "s"),
        panel("Silence of a match", "The longest time since a held match had its last frame, and its last version. A frame comes every 30 s at least, a version every KEEPALIVE_INTERVAL", [("max(sightscreen_match_frame_age_seconds)", "frame"), ("max(sightscreen_match_version_age_seconds)", "version")], "s"),
        panel("From commit to coordinator", "The lag of a version: by a message milliseconds, read from the log up to half a second", quantiles("sightscreen_version_delay_seconds", by="source"), "s"),
        panel("Frames by outcome", "What the bus makes of them, as the pollers hear it", [(rate("sightscreen_frames_total", 'job="score-poller"', "outcome"), "{{outcome}}")], "ops"),
        panel("Versions", "By priority; 10 buzzes or shows at once", [(rate("sightscreen_versions_total", by="priority"), "P{{priority}}")], "ops"),
        panel("Frames that told nothing new", "Of those the provider gave; the bus is not offered them", [(rate("sightscreen_frames_skipped_total"), "skipped")], "ops"),
        panel("Size of an answer", "Of the provider, with all live matches of a poll group", quantiles("sightscreen_provider_answer_bytes"), "bytes"),
        panel("Size of a frame", "Of those that tell something new, as a bus gets them", quantiles("sightscreen_frame_bytes"), "bytes"),
        panel("Events", "By kind; retracted: the provider took them back", [(rate("sightscreen_events_total", by="kind"), "{{kind}}"), (rate("sightscreen_events_retracted_total"), "retracted"), (rate("sightscreen_matches_silent_total"), "matches nobody reports")], "ops"),
    ]),
    ("Fan-out", [
        panel("To the first phone", "From a version's arrival at a coordinator", quantiles("sightscreen_fanout_first_seconds"), "s"),
        panel("To the last phone", "Until all of that coordinator's phones have the version or a newer one; one in a hundred may lack it", quantiles("sightscreen_fanout_seconds"), "s"),
        panel("Phones behind for", "By coordinator: age of the oldest version that phones lack; stuck: while APNs accepts nothing for them", [("sightscreen_fanout_lag_seconds", "{{instance}}"), ("sightscreen_fanout_stuck_seconds", "{{instance}} stuck")], "s"),
        panel("Phones left out of it", "Held, refused by APNs for their own token, with few updates, or new", [("sum by (why) (sightscreen_phones_left_out)", "{{why}}")]),
        panel("Pushes by outcome", "Updates, starts, ends and pushes to the app", [(rate("sightscreen_pushes_total", by="outcome"), "{{outcome}}")], "ops"),
        panel("Pushes by kind", "", [(rate("sightscreen_pushes_total", by="kind"), "{{kind}}")], "ops"),
        panel("Why updates were not taken", "Apple's reasons and ours: fanout.md has what is done about each", [(rate("sightscreen_push_failures_total", by="reason"), "{{reason}}")], "ops"),
        panel("Alerts lost", "Told to nobody, to be on the safe side; some thousand at most when a coordinator is killed", [("sum(increase(sightscreen_alerts_lost_total[5m]))", "in 5 min")]),
        panel("Retried and held", "Updates sent once more, and pushes that an operator's hold kept", [(rate("sightscreen_pushes_retried_total"), "retried"), (rate("sightscreen_pushes_held_total"), "held")], "ops"),
        panel("Phones by coordinator", "", [("sightscreen_phones", "{{instance}}")]),
    ]),
    ("Broadcast channels", [
        panel("Channels", "Published to, by class: which alerts their listeners want", [("sum by (class) (sightscreen_channels)", "{{class}}"), ("sum(sightscreen_channels_resting)", "resting"), ("sum(sightscreen_channels_missing)", "asked for, not open")]),
        panel("Publishes by outcome", "", [(rate("sightscreen_pushes_total", 'kind="publish"', "outcome"), "{{outcome}}")], "ops"),
        panel("Channels behind for", "Age of the oldest version that was not published to a channel", [("max by (class) (sightscreen_channel_lag_seconds)", "{{class}}")], "s"),
        panel("States held back", "By the pace of a channel, or its rest after a 429", [(rate("sightscreen_publishes_delayed_total", by="cause"), "{{cause}}")], "ops"),
        panel("Calls about channels", "", [(rate("sightscreen_channel_calls_total", by="call, outcome"), "{{call}} {{outcome}}")], "ops"),
        panel("Channels at APNs", "10,000 are allowed; unknown: no row names them", [("max by (environment) (sightscreen_channels_listed)", "{{environment}}"), ("max by (environment) (sightscreen_channels_unknown)", "{{environment}} unknown")]),
    ]),
    ("APNs connections", [
        panel("Connections", "Open ones, by host; as many as phones and round trip ask for", [("sum by (environment, instance) (sightscreen_apns_connections)", "{{environment}} {{instance}}")]),
        panel("Lost", "Closed by APNs or the network, or never made", [(rate("sightscreen_apns_connections_closed_total", by="environment"), "{{environment}}")], "ops"),
        panel("Stopped", "Threads that send a host nothing but a push now and then", [("sum by (environment) (sightscreen_apns_stopped)", "{{environment}}")]),
        panel("Accounts refused", "Whose tokens a host refused before it accepted any: a wrong bundle id or address", [("max by (environment) (sightscreen_apns_accounts_refused)", "{{environment}}")]),
        panel("Pushes in flight", "Sent and not answered, by coordinator", [("sightscreen_pushes_in_flight", "{{instance}}")]),
        panel("Age of the provider token", "Renewed after 45 minutes; APNs takes none that is an hour old", [("max(sightscreen_apns_token_age_seconds)", "age")], "s"),
        panel("Tokens called dead", "By kind of push", [(rate("sightscreen_pushes_total", 'outcome="token_dead"', "kind"), "{{kind}}")], "ops"),
    ]),
    ("Leases", [
        panel("Who holds shards", "64 in all; their phones get nothing from anybody else", [('sightscreen_leases_held{kind="shard"}', "{{instance}}")], stack=True),
        panel("Who holds matches", "The buses", [('sightscreen_leases_held{kind="match"}', "{{instance}}")], stack=True),
        panel("Who polls, who is in charge", "One poller for each group, one orchestrator", [('sightscreen_leases_held{kind=~"poll|orchestrator"}', "{{kind}} {{instance}}")], stack=True),
        panel("Takeovers", "Leases that came to a process which did not have them", [("sum by (kind) (increase(sightscreen_leases_acquired_total[5m]))", "{{kind}} in 5 min")], width=12),
        panel("Lost", "Leases that a living process had and could not renew: it hung, or the database did", [("sum by (kind) (increase(sightscreen_leases_lost_total[5m]))", "{{kind}} in 5 min")], width=12),
    ]),
    ("Queues", [
        panel("Frames that wait", "At the pollers, one for each match at most: it replaces the one before", [("sightscreen_frames_waiting", "{{instance}}")]),
        panel("Registrations that wait", "Activity tokens on their way into the database; 4,096 at most", [("sightscreen_registrations_waiting", "{{instance}}")]),
        panel("Queries that wait for a connection", "By process", [("sightscreen_database_waiting", "{{job}} {{instance}}")]),
        panel("Requests at the proxy", "That wait because all gateways have all the connections they take", [('haproxy_backend_current_queue{proxy="gateways"}', "{{instance}}")]),
        panel("Phones that do not answer to starts", "By step: silent push, notification, nothing more", [("max by (step) (sightscreen_devices_in_fallback)", "{{step}}")]),
    ]),
    ("Orchestrator", [
        panel("Passes", "How long one takes; every 30 s", quantiles("sightscreen_orchestrator_pass_seconds"), "s"),
        panel("Passes by outcome", "failed: a step failed, the log names it", [(rate("sightscreen_orchestrator_passes_total", by="outcome"), "{{outcome}}")], "ops"),
        panel("Schedule", "Reads of the fixtures by outcome", [(rate("sightscreen_fixture_syncs_total", by="outcome"), "{{outcome}}")], "ops"),
        panel("Activities made and ended", "", [(rate("sightscreen_activities_created_total"), "made"), (rate("sightscreen_activities_ended_total", by="reason"), "ended: {{reason}}"), (rate("sightscreen_renewals_due_total"), "due for renewal")], "ops"),
        panel("Steps for phones that do not answer", "", [(rate("sightscreen_start_fallbacks_total", by="step"), "{{step}}")], "ops"),
        stat("Fixtures known", "Of the last read of the schedule", "max(sightscreen_fixtures_synced)", width=8),
    ]),
    ("Gateway", [
        panel("Requests by status", "", [(rate("sightscreen_http_requests_total", by="status"), "{{status}}")], "reqps"),
        panel("Requests by route", "", [(rate("sightscreen_http_requests_total", by="route"), "{{route}}")], "reqps"),
        panel("Time", "In the gateway, without the way to it", quantiles("sightscreen_http_request_seconds"), "s"),
        panel("Tokens that change hands or are bad", "Moved to another user, by kind; called bad by APNs and retired", [("sum by (kind) (increase(sightscreen_tokens_moved_total[5m]))", "moved: {{kind}} in 5 min"), ("sum by (kind) (increase(sightscreen_bad_tokens_retired_total[5m]))", "bad: {{kind}} in 5 min")]),
        panel("Security events", "By event (security.md)", [(rate("sightscreen_security_events_total", by="event"), "{{event}}")], "reqps"),
        panel("Over a limit", "By limit (limits.md)", [(rate("sightscreen_http_limited_total", by="limit"), "{{limit}}")], "reqps"),
        panel("Refused before a route saw them", "By reason (limits.md)", [(rate("sightscreen_http_refused_total", by="reason"), "{{reason}}")], "reqps"),
        panel("Connections", "Of each gateway, and of clients to the proxy", [("sightscreen_http_connections", "gateway {{instance}}"), ('haproxy_frontend_current_sessions{proxy="api"}', "proxy")]),
        panel("Gateways that the proxy uses", "0: none is ready", [('haproxy_backend_active_servers{proxy="gateways"}', "ready")]),
        panel("What the proxy answered", "By class, its own 5xx included", [('sum by (code) (rate(haproxy_backend_http_responses_total{proxy=~"gateways.*"}[$__rate_interval]))', "{{code}}")], "reqps"),
        panel("Tried again by the proxy", "On another gateway, because a connection was refused or a reading call was not answered", [('sum(rate(haproxy_backend_retry_warnings_total[$__rate_interval]))', "again"), ('sum(rate(haproxy_backend_redispatch_warnings_total[$__rate_interval]))', "on another"), ('sum(rate(haproxy_backend_connection_errors_total[$__rate_interval]))', "refused")], "ops"),
    ]),
    ("Database", [
        panel("Queries", "From sending to the last byte of the answer", quantiles("sightscreen_database_query_seconds", by="job"), "s"),
        panel("Waits for a connection", "Before that", quantiles("sightscreen_database_wait_seconds", by="job"), "s"),
        panel("Connections", "By service and state; PostgreSQL allows max_connections of all", [("sum by (job, state) (sightscreen_database_connections)", "{{job}} {{state}}")]),
        panel("Queries a second", "", [(rate("sightscreen_database_query_seconds_count", by="job"), "{{job}}")], "ops", 12),
        panel("Failures", "By what went wrong", [(rate("sightscreen_database_failures_total", by="code"), "{{code}}")], "ops", 12),
    ]),
    ("Processes", [
        panel("Processor", "Cores", [(rate("process_cpu_seconds_total", by="job, instance"), "{{job}} {{instance}}")]),
        panel("Memory", "Resident", [("process_resident_memory_bytes", "{{job}} {{instance}}")], "bytes"),
        panel("Open files", "Share of what each may open", [("process_open_fds / process_max_fds", "{{job}} {{instance}}")], "percentunit"),
        panel("Starts", "Of processes under one address, in five minutes", [("sum by (job) (changes(process_start_time_seconds[5m]))", "{{job}}")]),
        panel("Push tokens that cannot be read", "Keys in use that a process does not have, and tokens that it left out", [("sightscreen_token_keys_missing", "keys {{job}} {{instance}}"), ("sum by (job) (increase(sightscreen_tokens_damaged_total[5m]))", "left out in 5 min: {{job}}")]),
        panel("Stalls", "A coordinator did not run for half a second, and read everything before it went on", [("sum by (instance) (increase(sightscreen_stalls_total[5m]))", "{{instance}}")]),
        panel("Lines of the log that were dropped", "Nobody read them in time", [("sum by (job) (increase(sightscreen_log_lines_dropped_total[5m]))", "{{job}}")]),
    ]),
]


def grafana(one, number, x, y):
    height = 4 if one["kind"] == "stat" else 7
    made = {
        "id": number, "type": one["kind"], "title": one["title"], "description": one["about"], "datasource": SOURCE,
        "gridPos": {"h": height, "w": one["width"], "x": x, "y": y},
        "targets": [
            {"refId": chr(ord("A") + index), "datasource": SOURCE, "expr": query, "legendFormat": legend or "__auto", "range": True}
            for index, (query, legend) in enumerate(one["queries"])
        ],
        "fieldConfig": {"defaults": {"unit": one["unit"], "min": 0}, "overrides": []},
    }
    if one["kind"] == "stat":
        steps = [{"color": "green", "value": None}]
        if one["bad"] is not None:
            steps.append({"color": "red", "value": one["bad"]})
        made["fieldConfig"]["defaults"].update({"thresholds": {"mode": "absolute", "steps": steps}, "noValue": "none"})
        made["options"] = {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value", "graphMode": "area"}
    else:
        made["fieldConfig"]["defaults"]["custom"] = {
            "fillOpacity": 25 if one.get("stack") else 8, "lineWidth": 1, "showPoints": "never",
            "stacking": {"mode": "normal" if one.get("stack") else "none"},
        }
        made["options"] = {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}}
    return made, height


def dashboard():
    panels, y = [], 0
    for title, row in ROWS:
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": {"h": 1, "w": WIDTH, "x": 0, "y": y}})
        y += 1
        x = tallest = 0
        for one in row:
            if x + one["width"] > WIDTH:
                x, y, tallest = 0, y + tallest, 0
            made, height = grafana(one, len(panels) + 1, x, y)
            panels.append(made)
            x, tallest = x + one["width"], max(tallest, height)
        y += tallest
    return {
        "uid": "sightscreen", "title": "Sightscreen", "tags": ["sightscreen"], "schemaVersion": 37, "version": 1, "editable": True,
        "timezone": "browser", "refresh": "10s", "time": {"from": "now-1h", "to": "now"}, "graphTooltip": 1,
        "annotations": {"list": [{
            "name": "Alerts", "datasource": SOURCE, "enable": True, "iconColor": "red",
            "expr": 'ALERTS{alertstate="firing",alertname=~"Sightscreen.*",severity="page"}', "titleFormat": "{{alertname}}",
        }]},
        "templating": {"list": [{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "current": {}, "hide": 0, "refresh": 1}]},
        "panels": panels,
    }


def main():
    text = json.dumps(dashboard(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        with open(PATH, encoding="utf-8") as file:
            if file.read() != text:
                print("deploy/grafana/sightscreen.json is not what make.py writes: run it", file=sys.stderr)
                return 1
        return 0
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
