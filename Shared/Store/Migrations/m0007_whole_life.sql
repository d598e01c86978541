-- What is done about a phone that does not answer to starts (StartFallback): how far it is, since when, and because of
-- which match. The app's registration and a start that is answered take it back to 'none'.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS fallback_step text NOT NULL DEFAULT 'none'
    CHECK (fallback_step IN ('none', 'silent', 'visible', 'passive'));
-- The step began, its push left, or the app registered; while a push is due: not before this.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS fallback_at timestamptz;
ALTER TABLE devices ADD COLUMN IF NOT EXISTS fallback_began_at timestamptz;
ALTER TABLE devices ADD COLUMN IF NOT EXISTS fallback_match_id bigint;
-- due: a push is to be sent; sent: it may have left, and never leaves again.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS fallback_push text NOT NULL DEFAULT 'none'
    CHECK (fallback_push IN ('none', 'due', 'sent'));
-- The hash of the start token that has been through this and has started nothing since: it does not again.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS fallback_token_hash text;
ALTER TABLE devices ADD COLUMN IF NOT EXISTS visible_push_at timestamptz;
-- The hash of the start token that APNs called dead, until the app registers one.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS dead_start_token_hash text;
CREATE INDEX IF NOT EXISTS devices_in_fallback ON devices (fallback_step) WHERE fallback_token_hash IS NOT NULL;
CREATE INDEX IF NOT EXISTS devices_fallback_due ON devices (shard) WHERE fallback_push = 'due';
CREATE INDEX IF NOT EXISTS devices_dead_start_token ON devices (user_id, device_id)
    WHERE dead_start_token_hash IS NOT NULL;
CREATE INDEX IF NOT EXISTS live_activities_given_up ON live_activities (user_id, device_id)
    WHERE status = 'pending' AND start_given_up_at IS NOT NULL;

-- The new activity that is to take the place of this one before iOS's eight hours are over. One generation that has not
-- ended is all there may be, so the running one carries what the next one's start needs until its token arrives.
-- When the next try is due; while one is out, the end of its lease.
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS renewal_due_at timestamptz;
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS renewal_start_id text;
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS renewal_attempts int NOT NULL DEFAULT 0;
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS renewal_sent_at timestamptz;
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS renewal_lease_until timestamptz;
CREATE INDEX IF NOT EXISTS live_activities_renewals ON live_activities (shard, renewal_due_at)
    WHERE status = 'active' AND renewal_due_at IS NOT NULL;
