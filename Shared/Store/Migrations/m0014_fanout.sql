-- The provider token before the one of now, for an APNs that says there were too many; and until when no other is made.
ALTER TABLE apns_provider_tokens ADD COLUMN IF NOT EXISTS previous_token text;
ALTER TABLE apns_provider_tokens ADD COLUMN IF NOT EXISTS previous_issued_at timestamptz;
ALTER TABLE apns_provider_tokens ADD COLUMN IF NOT EXISTS frozen_until timestamptz;

-- How far each coordinator is with the newest version of a match it pushes: for the operator's eyes. Counts of phones, but
-- for `sent`, which counts pushes. Written about once a second while it changes.
CREATE TABLE IF NOT EXISTS fanout_progress (
    match_id bigint NOT NULL,
    coordinator text NOT NULL,
    version bigint NOT NULL,
    targeted bigint NOT NULL,
    sent bigint NOT NULL,
    accepted bigint NOT NULL,
    superseded bigint NOT NULL,
    -- Phones that were not reached, by APNs' reason or ours: {"Unregistered": 790}.
    failed jsonb NOT NULL DEFAULT '{}',
    -- From the version's arrival at the coordinator to the first and the last phone; null while there is none.
    first_ms bigint,
    last_ms bigint,
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (match_id, coordinator)
);

-- Coordinators keep beside each token whether its phone takes frequent updates, and which host it belongs to: a change of
-- these is a change of the activities.
CREATE OR REPLACE FUNCTION devices_mark_activities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_activities SET changed_xid = pg_current_xact_id()
    WHERE user_id = NEW.user_id AND device_id = NEW.device_id AND status = 'active';
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS devices_pushes ON devices;
CREATE TRIGGER devices_pushes AFTER UPDATE OF frequent_pushes_enabled, environment ON devices
    FOR EACH ROW WHEN (OLD.frequent_pushes_enabled IS DISTINCT FROM NEW.frequent_pushes_enabled
        OR OLD.environment IS DISTINCT FROM NEW.environment) EXECUTE FUNCTION devices_mark_activities();
