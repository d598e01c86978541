"""For each alert: series under which it fires, and series under which it must not. A value is read every 5 s."""

from dataclasses import dataclass, field


@dataclass
class Case:
    alert: str
    fires: dict
    quiet: dict
    at: str = "20m"
    # Of the alerts that fire, beside those in the rule.
    labels: list = field(default_factory=lambda: [{}])
    # Where several rules share a name.
    service: str | None = None


def flat(value, steps=300):
    return f"{value}x{steps}"


def rising(by, steps=300):
    return f"0+{by}x{steps}"


def born(alert, series, value, of, born=200, gap=50, **more):
    """Fires for a series of the process `of` that comes into being with this value, when the process has been there for long. Is quiet
    for one that had the value all along and is seen again after a gap, in which the process could not be scraped.

    `gap` is where that begins; both series begin, or go on, at `born`."""
    return Case(
        alert, **more, fires={series: f"_x{born} {value}x300", f"up{{{of}}}": flat(1, born + 300)},
        quiet={
            series: f"{value}x{gap} stale _x{born - gap - 2} {value}x300",
            f"up{{{of}}}": f"1x{gap} 0x{born - gap - 1} 1x300",
        },
    )


SERVICES = ("la-coordinator", "event-bus", "score-poller", "orchestrator", "api-gateway")


def up(*jobs, value=1):
    return {f'up{{job="{job}",instance="1"}}': flat(value) for job in jobs}


def histogram(name, slow, fast, labels=""):
    """Of each hundred observations a second `slow` take over a minute, and `fast` are done in a millisecond."""
    inner = labels + "," if labels else ""
    return {
        f'{name}_bucket{{{inner}le="0.001"}}': rising(5 * fast),
        f'{name}_bucket{{{inner}le="60"}}': rising(5 * (fast + slow)),
        f'{name}_bucket{{{inner}le="+Inf"}}': rising(5 * (fast + slow)),
    }


def slow_or_fast(alert, name, **more):
    labels = more.pop("series", "")
    return Case(alert, fires=histogram(name, 50, 50, labels), quiet=histogram(name, 0, 100, labels), **more)


JOB = 'job="la-coordinator",instance="1"'
GATEWAY = 'job="api-gateway",instance="1"'
HERE = {"job": "la-coordinator", "instance": "1"}
IN_PLAY = {"sightscreen_matches_in_play": flat(1)}

CASES = [
    *[
        Case(
            "SightscreenServiceGone", service=gone,
            # One that stands beside, and cannot be scraped, does not count.
            fires={**up(*[job for job in SERVICES if job != gone]), **up(gone, value=0)}, quiet=up(*SERVICES),
        )
        for gone in SERVICES
    ],
    Case(
        "SightscreenNotReady", labels=[HERE], fires={f"sightscreen_ready{{{JOB}}}": flat(0)},
        quiet={f"sightscreen_ready{{{JOB}}}": "0x30 1x300"},
    ),
    Case(
        "SightscreenRestarting", labels=[HERE],
        fires={f"process_start_time_seconds{{{JOB}}}": "1x200 2x10 3x10 4x10 5x300"},
        quiet={f"process_start_time_seconds{{{JOB}}}": "1x200 2x20 3x300"},
    ),
    Case(
        "SightscreenStalled", labels=[HERE], fires={f"sightscreen_stalls_total{{{JOB}}}": rising(0.1)},
        quiet={f"sightscreen_stalls_total{{{JOB}}}": "0x200 2x300"},
    ),
    Case(
        "SightscreenFilesRunOut", labels=[HERE],
        fires={f"process_open_fds{{{JOB}}}": flat(900), f"process_max_fds{{{JOB}}}": flat(1024)},
        quiet={f"process_open_fds{{{JOB}}}": flat(90), f"process_max_fds{{{JOB}}}": flat(1024)},
    ),
    Case(
        "SightscreenLogLinesLost", labels=[HERE], fires={f"sightscreen_log_lines_dropped_total{{{JOB}}}": "0x200 5x300"},
        quiet={f"sightscreen_log_lines_dropped_total{{{JOB}}}": flat(5)},
    ),
    Case(
        "SightscreenSeriesRefused", labels=[HERE], fires={f"sightscreen_metric_series_refused_total{{{JOB}}}": flat(1)},
        quiet={f"sightscreen_metric_series_refused_total{{{JOB}}}": flat(0)},
    ),
    # Matches
    Case(
        "SightscreenNoPolls", fires={**IN_PLAY, 'sightscreen_polls_total{outcome="failed"}': rising(1)},
        quiet={**IN_PLAY, 'sightscreen_polls_total{outcome="ok"}': rising(1)},
    ),
    Case(
        "SightscreenProviderTroubled", at="25m",
        fires={'sightscreen_polls_total{outcome="failed"}': rising(1), 'sightscreen_polls_total{outcome="ok"}': rising(1)},
        quiet={'sightscreen_polls_total{outcome="failed"}': rising(1), 'sightscreen_polls_total{outcome="ok"}': rising(9)},
    ),
    Case(
        "SightscreenProviderAllowanceLow", labels=[{"endpoint": "livescores"}],
        fires={'sightscreen_provider_calls_left{endpoint="livescores"}': flat(20)},
        quiet={'sightscreen_provider_calls_left{endpoint="livescores"}': flat(200)},
    ),
    Case(
        "SightscreenFramesWait", labels=[{"instance": "1"}], fires={'sightscreen_frames_waiting{instance="1"}': flat(2)},
        # One comes with every ball; it does not stay.
        quiet={'sightscreen_frames_waiting{instance="1"}': "1 0 1 0 " * 80},
    ),
    Case(
        "SightscreenFramesRefused", fires={'sightscreen_frames_total{job="score-poller",outcome="rejected"}': rising(1)},
        quiet={'sightscreen_frames_total{job="score-poller",outcome="committed"}': rising(1)},
    ),
    Case(
        "SightscreenMatchSilent", fires={'sightscreen_match_frame_age_seconds{instance="1"}': flat(140)},
        quiet={'sightscreen_match_frame_age_seconds{instance="1"}': flat(90)},
    ),
    slow_or_fast("SightscreenCommitsSlow", "sightscreen_frame_age_seconds"),
    slow_or_fast("SightscreenVersionsArriveLate", "sightscreen_version_delay_seconds"),
    # Fan-out
    Case(
        "SightscreenShardsFree", fires={'sightscreen_leases_held{kind="shard",instance="1"}': flat(60)},
        quiet={
            'sightscreen_leases_held{kind="shard",instance="1"}': "64x200 0x300",
            # Ten seconds in between belong to nobody.
            'sightscreen_leases_held{kind="shard",instance="2"}': "0x202 64x300",
        },
        at="17m",
    ),
    Case(
        "SightscreenShardsMove", fires={'sightscreen_leases_acquired_total{kind="shard"}': "0x150 64 128 192 256 320x300"},
        quiet={'sightscreen_leases_acquired_total{kind="shard"}': "0x150 64 128x300"},
        at="15m",
    ),
    Case(
        "SightscreenFanOutStuck", fires={'sightscreen_fanout_lag_seconds{instance="1"}': rising(5)},
        quiet={'sightscreen_fanout_lag_seconds{instance="1"}': "0 5 10 15 " * 80},
    ),
    slow_or_fast("SightscreenFanOutSlow", "sightscreen_fanout_seconds", at="24m"),
    Case(
        "SightscreenPushesRefused",
        fires={
            'sightscreen_pushes_total{kind="update",outcome="accepted"}': rising(70),
            'sightscreen_pushes_total{kind="update",outcome="server_error"}': rising(30),
        },
        quiet={
            'sightscreen_pushes_total{kind="update",outcome="accepted"}': rising(70),
            # Nobody's fault: phones that are gone, activities that ended, an operator's hold.
            'sightscreen_pushes_total{kind="update",outcome="token_dead"}': rising(40),
            'sightscreen_pushes_total{kind="start",outcome="withdrawn"}': rising(80),
            'sightscreen_pushes_total{kind="start",outcome="stopped"}': rising(80),
        },
    ),
    Case(
        "SightscreenAPNsRefusesUs", labels=[{"reason": "InvalidProviderToken"}], at="17m",
        fires={'sightscreen_push_failures_total{reason="InvalidProviderToken"}': "0x190 3x300"},
        quiet={'sightscreen_push_failures_total{reason="Unregistered"}': rising(9)},
    ),
    born(
        "SightscreenAPNsRefusesUs", f'sightscreen_push_failures_total{{{JOB},reason="InvalidProviderToken"}}', 3, of=JOB,
        labels=[{"reason": "InvalidProviderToken"}], at="17m", born=190, gap=100),
    Case(
        "SightscreenAPNsStopped", labels=[{"environment": "production"}],
        fires={'sightscreen_apns_stopped{environment="production",instance="1"}': flat(2)},
        quiet={'sightscreen_apns_stopped{environment="production",instance="1"}': "0x230 2x5 0x100"},
    ),
    Case(
        "SightscreenAPNsUnreachable", labels=[{"job": "la-coordinator"}],
        fires={f'sightscreen_apns_connections{{{JOB},environment="production"}}': flat(0), f"sightscreen_phones{{{JOB}}}": flat(9)},
        quiet={
            f'sightscreen_apns_connections{{{JOB},environment="sandbox"}}': flat(0),
            f'sightscreen_apns_connections{{{JOB},environment="production"}}': flat(2),
            f"sightscreen_phones{{{JOB}}}": flat(9),
        },
    ),
    Case(
        "SightscreenProviderTokenOld", fires={"sightscreen_apns_token_age_seconds": flat(3500)},
        quiet={"sightscreen_apns_token_age_seconds": flat(2699)},
    ),
    Case(
        "SightscreenAlertsLost", fires={"sightscreen_alerts_lost_total": "0x200 12000x300"},
        quiet={"sightscreen_alerts_lost_total": "0x200 3000x300"},
    ),
    born("SightscreenAlertsLost", f"sightscreen_alerts_lost_total{{{JOB}}}", 12_000, of=JOB, at="40m", born=460),
    Case(
        "SightscreenTokensDie",
        fires={
            'sightscreen_pushes_total{kind="update",outcome="accepted"}': rising(90),
            'sightscreen_pushes_total{kind="update",outcome="token_dead"}': rising(10),
        },
        quiet={
            'sightscreen_pushes_total{kind="update",outcome="accepted"}': rising(99),
            'sightscreen_pushes_total{kind="update",outcome="token_dead"}': rising(1),
        },
    ),
    Case(
        "SightscreenTokensBad",
        fires={
            'sightscreen_pushes_total{kind="update",outcome="accepted"}': rising(90),
            'sightscreen_push_failures_total{reason="BadDeviceToken"}': rising(10),
        },
        quiet={
            'sightscreen_pushes_total{kind="update",outcome="accepted"}': rising(99),
            'sightscreen_push_failures_total{reason="BadDeviceToken"}': rising(1),
        },
    ),
    Case(
        "SightscreenRosterWrong", labels=[{"instance": "1"}],
        fires={'sightscreen_roster_mismatches_total{instance="1"}': "0x200 1x300"},
        quiet={'sightscreen_roster_mismatches_total{instance="1"}': flat(0)},
    ),
    born("SightscreenRosterWrong", f"sightscreen_roster_mismatches_total{{{JOB}}}", 1, of=JOB, labels=[HERE]),
    Case(
        "SightscreenHoldForgotten", labels=[{"level": "alerts"}], at="70m",
        fires={'sightscreen_holds{level="alerts"}': flat(1, 900)},
        quiet={'sightscreen_holds{level="alerts"}': "0x400 1x500"},
    ),
    # Orchestrator
    Case(
        "SightscreenPassesStopped", fires={'sightscreen_orchestrator_passes_total{outcome="failed"}': rising(1)},
        quiet={'sightscreen_orchestrator_passes_total{outcome="ok"}': rising(1)},
    ),
    Case(
        "SightscreenScheduleOld", fires={'sightscreen_fixture_syncs_total{outcome="failed"}': rising(1)},
        quiet={'sightscreen_fixture_syncs_total{outcome="ok"}': rising(1)},
    ),
    # Gateway
    Case(
        "SightscreenGatewayFails",
        fires={
            'sightscreen_http_requests_total{route="/user/follows",status="200"}': rising(90),
            'sightscreen_http_requests_total{route="/user/follows",status="503"}': rising(10),
        },
        quiet={
            'sightscreen_http_requests_total{route="/user/follows",status="200"}': rising(90),
            'sightscreen_http_requests_total{route="/health/ready",status="503"}': rising(50),
        },
    ),
    Case(
        "SightscreenNoGateway", fires={'haproxy_backend_active_servers{proxy="gateways"}': flat(0)},
        quiet={'haproxy_backend_active_servers{proxy="gateways"}': flat(1)},
    ),
    Case(
        "SightscreenAddressOverItsBound", fires={'haproxy_frontend_denied_connections_total{proxy="api"}': rising(10)},
        quiet={
            'haproxy_frontend_denied_connections_total{proxy="api"}': rising(4),
            'haproxy_frontend_denied_connections_total{proxy="health"}': rising(10),
        },
    ),
    slow_or_fast("SightscreenGatewaySlow", "sightscreen_http_request_seconds", series='route="/user/follows"'),
    Case(
        "SightscreenGatewayFull", labels=[{"instance": "1"}], fires={'sightscreen_http_connections{instance="1"}': flat(4000)},
        quiet={'sightscreen_http_connections{instance="1"}': flat(400)},
    ),
    Case(
        "SightscreenRegistrationsWait", fires={'sightscreen_registrations_waiting{instance="1"}': flat(3000)},
        quiet={'sightscreen_registrations_waiting{instance="1"}': "0x235 3000x5 0x100"},
    ),
    Case(
        "SightscreenKeysGuessed", labels=[{"limit": "failed-admin-keys"}],
        fires={'sightscreen_http_limited_total{limit="failed-admin-keys"}': "0x200 1x100"},
        quiet={'sightscreen_http_limited_total{limit="reads"}': "0x200 1x100"},
    ),
    born(
        "SightscreenKeysGuessed", f'sightscreen_http_limited_total{{{GATEWAY},limit="failed-admin-keys"}}', 1, of=GATEWAY,
        labels=[{"job": "api-gateway", "instance": "1", "limit": "failed-admin-keys"}]),
    Case(
        "SightscreenManyLimited", labels=[{"limit": "reads"}], fires={'sightscreen_http_limited_total{limit="reads"}': rising(200)},
        quiet={'sightscreen_http_limited_total{limit="reads"}': rising(20)},
    ),
    # Database
    Case(
        "SightscreenDatabaseAway", fires={'sightscreen_database_failures_total{code="unavailable"}': rising(1)},
        quiet={'sightscreen_database_failures_total{code="constraint"}': rising(1)},
    ),
    slow_or_fast(
        "SightscreenDatabaseSlow", "sightscreen_database_query_seconds", series='job="event-bus"', labels=[{"job": "event-bus"}]),
    Case(
        "SightscreenDatabaseWaits", labels=[HERE], fires={f"sightscreen_database_waiting{{{JOB}}}": flat(9)},
        quiet={f"sightscreen_database_waiting{{{JOB}}}": "0 0 0 9 " * 80},
    ),
]
