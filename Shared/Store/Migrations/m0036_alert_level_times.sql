-- When the alert level of a follow last changed, null for never: of versions before that its phones are told nothing more.
ALTER TABLE match_follows ADD COLUMN IF NOT EXISTS alerts_at timestamptz;
CREATE OR REPLACE FUNCTION match_follows_note_level() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.alerts_at = clock_timestamp();
    RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS match_follows_level_time ON match_follows;
CREATE TRIGGER match_follows_level_time BEFORE UPDATE OF alerts ON match_follows
    FOR EACH ROW WHEN (OLD.alerts IS DISTINCT FROM NEW.alerts) EXECUTE FUNCTION match_follows_note_level();
