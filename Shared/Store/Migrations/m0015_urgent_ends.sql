-- Ends that a user waits for are looked for before those that linger on the Lock Screen, of which a match that is over
-- leaves a million; within both match by match, as before.
CREATE INDEX IF NOT EXISTS live_activities_ends_by_haste ON live_activities (end_dismissal, match_id, shard)
    WHERE end_push = 'due';
DROP INDEX IF EXISTS live_activities_ends_by_match;
