-- The truth of Sightscreen. Times are timestamptz of this database's clock; stamps are whole seconds (bigint).

CREATE TABLE IF NOT EXISTS fixtures (
    match_id bigint PRIMARY KEY,
    league_id bigint NOT NULL,
    competition text NOT NULL,
    round text NOT NULL DEFAULT '',
    format text NOT NULL,
    -- The provider's status as sent ("NS", "1st Innings", "Finished").
    status text NOT NULL,
    starts_at timestamptz,
    home_id bigint NOT NULL,
    home_name text NOT NULL,
    home_code text NOT NULL,
    away_id bigint NOT NULL,
    away_name text NOT NULL,
    away_code text NOT NULL,
    venue text NOT NULL DEFAULT '',
    note text,
    winner_id bigint,
    synced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Set when the provider no longer lists it; two syncs in a row before anything is ended.
    missing_since timestamptz
);
CREATE INDEX IF NOT EXISTS fixtures_by_start ON fixtures (starts_at);
CREATE INDEX IF NOT EXISTS fixtures_by_league ON fixtures (league_id, starts_at);

CREATE TABLE IF NOT EXISTS devices (
    user_id text NOT NULL,
    device_id text NOT NULL,
    -- DeviceRoute.hash and its top six bits.
    route bigint NOT NULL,
    shard smallint NOT NULL,
    platform text NOT NULL DEFAULT 'ios',
    -- 'production' or 'sandbox': which APNs host its tokens belong to.
    environment text NOT NULL DEFAULT 'production',
    device_token text,
    device_token_at timestamptz,
    push_to_start_token text,
    push_to_start_token_at timestamptz,
    os_version text,
    app_version text,
    live_activities_enabled boolean NOT NULL DEFAULT true,
    frequent_pushes_enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (user_id, device_id)
);
-- A token belongs to one device of one user.
CREATE UNIQUE INDEX IF NOT EXISTS devices_device_token ON devices (device_token) WHERE device_token IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS devices_start_token ON devices (push_to_start_token)
    WHERE push_to_start_token IS NOT NULL;

CREATE TABLE IF NOT EXISTS match_follows (
    user_id text NOT NULL,
    match_id bigint NOT NULL,
    team_id bigint,
    alerts text NOT NULL DEFAULT 'all' CHECK (alerts IN ('all', 'key', 'none')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Set when the match ends: FOLLOW_RETENTION later.
    expires_at timestamptz,
    PRIMARY KEY (user_id, match_id)
);
CREATE INDEX IF NOT EXISTS match_follows_by_match ON match_follows (match_id, user_id);

CREATE TABLE IF NOT EXISTS active_matches (
    match_id bigint PRIMARY KEY,
    -- Display state of the newest version: scheduled, live, inningsBreak, suspended, completed, abandoned.
    display_state text NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    -- The stamp allocator: greatest(stamp + 1, now) under this row's lock.
    stamp bigint NOT NULL DEFAULT 0,
    -- The epoch of the match lease under which it was last written.
    epoch bigint NOT NULL DEFAULT 0,
    -- The newest content state, as the JSON text that is pushed.
    content_state text,
    relevance double precision NOT NULL DEFAULT 50,
    -- What event-bus needs to go on after a restart (MatchMachine, JSON).
    machine text,
    -- A match at stumps counts as not live for activities.
    at_stumps boolean NOT NULL DEFAULT false,
    suspended_at timestamptz,
    went_live_at timestamptz,
    -- The result is announced; `end` is due RESULT_HOLD later.
    settled_at timestamptz,
    -- The orchestrator has ended its activities; kept as a record of the final state until follows expire.
    ended_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The durable log: one row per committed version.
CREATE TABLE IF NOT EXISTS match_updates (
    match_id bigint NOT NULL,
    version bigint NOT NULL,
    stamp bigint NOT NULL,
    content_state text NOT NULL,
    -- [MatchEvent]: what is new in this version; and the keys of events taken back.
    events jsonb NOT NULL DEFAULT '[]',
    retracted jsonb NOT NULL DEFAULT '[]',
    priority smallint NOT NULL CHECK (priority IN (5, 10)),
    -- MatchAlert, or null.
    alert jsonb,
    relevance double precision NOT NULL DEFAULT 50,
    traceparent text,
    committed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (match_id, version)
);
CREATE UNIQUE INDEX IF NOT EXISTS match_updates_stamp ON match_updates (match_id, stamp);

CREATE TABLE IF NOT EXISTS live_activities (
    match_id bigint NOT NULL,
    user_id text NOT NULL,
    device_id text NOT NULL,
    generation int NOT NULL,
    route bigint NOT NULL,
    shard smallint NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'ended')),
    end_reason text CHECK (end_reason IN ('match_end', 'user_unfollow', 'user_dismissed', 'token_invalid')),
    -- The start that is out or was last out: its id travels in the attributes.
    start_id text,
    start_attempts int NOT NULL DEFAULT 0,
    start_sent_at timestamptz,
    -- While in the future, no other start may go out. Set before the push leaves.
    start_lease_until timestamptz,
    -- Set when the tries are used up: nothing more until the app registers again.
    start_given_up_at timestamptz,
    activity_id text,
    update_token text,
    token_at timestamptz,
    -- none: nothing to send; due: an end push is owed; sent: APNs took it; dropped: it cannot be delivered.
    end_push text NOT NULL DEFAULT 'none' CHECK (end_push IN ('none', 'due', 'sent', 'dropped')),
    -- now: the end removes the activity at once; linger: it stays DISMISS_AFTER on the Lock Screen.
    end_dismissal text NOT NULL DEFAULT 'now' CHECK (end_dismissal IN ('now', 'linger')),
    end_attempts int NOT NULL DEFAULT 0,
    end_lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    activated_at timestamptz,
    ended_at timestamptz,
    -- The transaction that last touched the row: readers of changes take everything from the oldest running one on.
    changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (match_id, user_id, device_id, generation),
    CHECK ((status = 'ended') = (end_reason IS NOT NULL)),
    CHECK (status <> 'active' OR update_token IS NOT NULL)
);
CREATE UNIQUE INDEX IF NOT EXISTS live_activities_current ON live_activities (match_id, user_id, device_id)
    WHERE status <> 'ended';
CREATE UNIQUE INDEX IF NOT EXISTS live_activities_token ON live_activities (update_token)
    WHERE status <> 'ended' AND update_token IS NOT NULL;
CREATE INDEX IF NOT EXISTS live_activities_by_user ON live_activities (user_id, device_id);
-- What coordinators look for: starts to send, ends to send, and rows changed since they last looked.
CREATE INDEX IF NOT EXISTS live_activities_pending ON live_activities (shard, start_lease_until)
    WHERE status = 'pending';
CREATE INDEX IF NOT EXISTS live_activities_ends ON live_activities (shard) WHERE end_push = 'due';
CREATE INDEX IF NOT EXISTS live_activities_changes ON live_activities (changed_xid);

CREATE OR REPLACE FUNCTION live_activities_mark_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_xid := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER live_activities_change BEFORE UPDATE ON live_activities
    FOR EACH ROW EXECUTE FUNCTION live_activities_mark_change();

-- An alert is claimed here before it leaves: at most once per phone, whoever sends it.
CREATE TABLE IF NOT EXISTS alert_claims (
    match_id bigint NOT NULL,
    -- The version whose alert it is.
    alert_version bigint NOT NULL,
    bucket int NOT NULL,
    bucket_count int NOT NULL,
    holder text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (match_id, alert_version, bucket)
);

-- How far the devices of a bucket have come; what lies beyond is repeated, without alert, after a takeover.
CREATE TABLE IF NOT EXISTS bucket_progress (
    match_id bigint NOT NULL,
    bucket int NOT NULL,
    bucket_count int NOT NULL,
    settled_stamp bigint NOT NULL,
    PRIMARY KEY (match_id, bucket)
);

CREATE TABLE IF NOT EXISTS leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    epoch bigint NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS apns_provider_tokens (
    key_id text PRIMARY KEY,
    team_id text NOT NULL,
    token text NOT NULL,
    issued_at timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS app_config (
    name text PRIMARY KEY,
    value jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS admin_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    action text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}'
);
