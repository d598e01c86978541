-- Accounts that were deleted: their rows are being erased, and tokens issued before are refused.
CREATE TABLE IF NOT EXISTS deleted_users (
    user_id text PRIMARY KEY,
    deleted_at timestamptz NOT NULL,
    -- Nothing of the deleted account is left.
    erased_at timestamptz
);
CREATE INDEX IF NOT EXISTS deleted_users_by_time ON deleted_users (deleted_at);
CREATE INDEX IF NOT EXISTS deleted_users_to_erase ON deleted_users (deleted_at) WHERE erased_at IS NULL;

-- Push-to-starts of this generation that may have arrived. Unlike start_attempts it does not begin anew when the app
-- registers again: a phone's day is counted by it.
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS starts_sent int NOT NULL DEFAULT 0;
