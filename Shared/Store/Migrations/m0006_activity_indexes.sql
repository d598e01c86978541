-- When a match goes live every phone's row is written within seconds, and each index of the table with it. So there is
-- none of its own for what is asked of one user or one phone: the primary key serves that, too.
ALTER TABLE live_activities DROP CONSTRAINT IF EXISTS live_activities_pkey;
ALTER TABLE live_activities ADD PRIMARY KEY (user_id, device_id, match_id, generation);
DROP INDEX IF EXISTS live_activities_by_user;
-- Who registers an update token takes it from its former owner, also where an end to it still waits. After a match such
-- ends are many: without this each registration would walk over all of them.
CREATE INDEX IF NOT EXISTS live_activities_due_token ON live_activities (update_token)
    WHERE end_push = 'due' AND update_token IS NOT NULL;
