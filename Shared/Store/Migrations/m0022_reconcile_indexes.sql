-- What m0021's columns are looked for by, apart from it: while an index is built, the table is read as before.
CREATE INDEX IF NOT EXISTS devices_reconcile_due ON devices (shard) WHERE reconcile_due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS live_activities_missing ON live_activities (user_id, device_id, match_id)
    WHERE card IS NOT NULL;
-- A start is in question from its second try on, not only when it was given up.
CREATE INDEX IF NOT EXISTS live_activities_unanswered ON live_activities (user_id, device_id)
    WHERE status = 'pending' AND (start_given_up_at IS NOT NULL OR start_attempts >= 2);
-- Last: to drop an index keeps readers out, too.
DROP INDEX IF EXISTS live_activities_given_up;
