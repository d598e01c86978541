-- Coordinators keep the alert level beside each token: a change of it is a change of the activities.
CREATE OR REPLACE FUNCTION match_follows_mark_activities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_activities SET changed_xid = pg_current_xact_id()
    WHERE match_id = NEW.match_id AND user_id = NEW.user_id AND status = 'active';
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS match_follows_alerts ON match_follows;
CREATE TRIGGER match_follows_alerts AFTER UPDATE OF alerts ON match_follows
    FOR EACH ROW WHEN (OLD.alerts IS DISTINCT FROM NEW.alerts) EXECUTE FUNCTION match_follows_mark_activities();
