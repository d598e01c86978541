-- The transaction since which a follow has its alert level, and the one since which a phone can listen to a channel of its
-- environment; null for earlier than this. So the pass of channels counts what has come and not who is there.
ALTER TABLE match_follows ADD COLUMN IF NOT EXISTS alerts_xid xid8;
ALTER TABLE match_follows ALTER COLUMN alerts_xid SET DEFAULT pg_current_xact_id();
CREATE INDEX IF NOT EXISTS match_follows_by_alerts_xid ON match_follows (alerts_xid)
    WHERE alerts_xid IS NOT NULL AND expires_at IS NULL;
CREATE OR REPLACE FUNCTION match_follows_note_level() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.alerts_at = clock_timestamp();
    NEW.alerts_xid = pg_current_xact_id();
    RETURN NEW;
END $$;

ALTER TABLE devices ADD COLUMN IF NOT EXISTS listens_xid xid8;
ALTER TABLE devices ALTER COLUMN listens_xid SET DEFAULT pg_current_xact_id();
CREATE INDEX IF NOT EXISTS devices_by_listens_xid ON devices (listens_xid) WHERE listens_xid IS NOT NULL AND broadcast;
CREATE OR REPLACE FUNCTION devices_note_listening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.listens_xid = pg_current_xact_id();
    RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS devices_listen ON devices;
CREATE TRIGGER devices_listen
    BEFORE UPDATE OF broadcast, live_activities_enabled, push_to_start_token, environment ON devices
    FOR EACH ROW WHEN (NEW.broadcast AND NEW.live_activities_enabled AND NEW.push_to_start_token IS NOT NULL
        AND (NOT OLD.broadcast OR NOT OLD.live_activities_enabled OR OLD.push_to_start_token IS NULL
            OR OLD.environment IS DISTINCT FROM NEW.environment)) EXECUTE FUNCTION devices_note_listening();
