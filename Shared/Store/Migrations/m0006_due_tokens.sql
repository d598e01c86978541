-- Who registers an update token takes it from its former owner, also where an end to it still waits. After a match such
-- ends are many: without this each registration would walk over all of them.
CREATE INDEX IF NOT EXISTS live_activities_due_token ON live_activities (update_token)
    WHERE end_push = 'due' AND update_token IS NOT NULL;
