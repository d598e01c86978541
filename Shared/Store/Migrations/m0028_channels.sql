-- Broadcast channels: one publish reaches every activity that is subscribed. Channels have a generation, because one is
-- never used again after its end.

-- The phone can subscribe to channels (iOS 18 and later).
ALTER TABLE devices ADD COLUMN IF NOT EXISTS broadcast boolean NOT NULL DEFAULT false;
CREATE INDEX IF NOT EXISTS devices_broadcast ON devices (environment, user_id) WHERE broadcast;

-- The channel that the activity is, or will be, subscribed to; such an activity has no update token.
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS channel_id text,
    ADD COLUMN IF NOT EXISTS renewal_channel_id text;
ALTER TABLE live_activities DROP CONSTRAINT IF EXISTS live_activities_check1;
ALTER TABLE live_activities DROP CONSTRAINT IF EXISTS live_activities_is_reached;
-- Not valid: the rows that are there meet the stricter one before.
ALTER TABLE live_activities ADD CONSTRAINT live_activities_is_reached
    CHECK (status <> 'active' OR update_token IS NOT NULL OR channel_id IS NOT NULL) NOT VALID;
CREATE INDEX IF NOT EXISTS live_activities_by_channel ON live_activities (channel_id)
    WHERE status = 'active' AND channel_id IS NOT NULL AND renewal_due_at IS NULL;

CREATE TABLE IF NOT EXISTS broadcast_channels (
    match_id bigint NOT NULL,
    -- Which APNs has it: 'production' or 'sandbox'.
    environment text NOT NULL,
    -- Who is told the same: a small number (AudienceClass).
    class smallint NOT NULL,
    generation int NOT NULL,
    -- Whose holder creates the channel, publishes to it and ends it.
    shard smallint NOT NULL,
    -- Null until APNs has made it.
    channel_id text,
    -- While in the future, a call about the channel is under way, and no other is made.
    call_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    opened_at timestamptz,
    -- What a 429 has taught: publishes a minute, and until when there are none.
    per_minute smallint NOT NULL DEFAULT 12,
    rests_until timestamptz,
    -- APNs says that it does not exist; or it was never made.
    lost_at timestamptz,
    lost_reason text,
    -- The first `end` was due; how many were published, when the next is due, and when they take the card away.
    ended_at timestamptz,
    ends int NOT NULL DEFAULT 0,
    end_due_at timestamptz,
    dismiss_at timestamptz,
    -- APNs has deleted it.
    deleted_at timestamptz,
    PRIMARY KEY (match_id, environment, class, generation)
);
CREATE UNIQUE INDEX IF NOT EXISTS broadcast_channels_current ON broadcast_channels (match_id, environment, class)
    WHERE ended_at IS NULL AND lost_at IS NULL;
CREATE INDEX IF NOT EXISTS broadcast_channels_by_shard ON broadcast_channels (shard) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS broadcast_channels_by_id ON broadcast_channels (channel_id) WHERE channel_id IS NOT NULL;

-- Since when no channel can be created in an environment, and why: broadcasts are off, or there are too many.
CREATE TABLE IF NOT EXISTS broadcast_stops (
    environment text PRIMARY KEY,
    since timestamptz NOT NULL,
    reason text NOT NULL
);

-- Channels that APNs lists and no row names.
CREATE TABLE IF NOT EXISTS unknown_channels (
    environment text NOT NULL,
    channel_id text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (environment, channel_id)
);
