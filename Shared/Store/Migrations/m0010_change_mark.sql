-- Who writes many rows marks their change in the statement itself: that spares a call of the function for each row. All
-- other changes are marked by it, as ever.
CREATE OR REPLACE TRIGGER live_activities_change BEFORE UPDATE ON live_activities
    FOR EACH ROW WHEN (NEW.changed_xid IS NOT DISTINCT FROM OLD.changed_xid)
    EXECUTE FUNCTION live_activities_mark_change();
