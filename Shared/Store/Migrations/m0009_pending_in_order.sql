-- A million starts wait when a match begins, and a coordinator takes a thousand of them at a time: those never tried first,
-- the oldest before the others, then those whose lease has been over for longest. By this each claim reads what it takes.
DROP INDEX IF EXISTS live_activities_pending;
CREATE INDEX IF NOT EXISTS live_activities_waiting ON live_activities
    (shard, start_lease_until NULLS FIRST, created_at) WHERE status = 'pending' AND start_given_up_at IS NULL;
