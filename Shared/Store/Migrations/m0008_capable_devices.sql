-- Every pass asks which phones of a match's followers lack an activity. This answers it without the wide rows of the
-- table, and in the order of follows and activities.
CREATE INDEX IF NOT EXISTS devices_capable ON devices (user_id, device_id) INCLUDE (route, shard)
    WHERE live_activities_enabled AND push_to_start_token IS NOT NULL;
