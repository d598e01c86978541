-- Set when the user has left the phone: unregistered it, or somebody else has shown that the phone is theirs. Its tokens are
-- free for the next user who registers them.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS left_at timestamptz;

-- Who has registered a device token of another user's, until the phone has shown whose it is. One row a token and hour.
CREATE TABLE IF NOT EXISTS device_claims (
    device_token text PRIMARY KEY,
    -- The phone that has it.
    owner_id text NOT NULL,
    owner_device_id text NOT NULL,
    -- The owner's: the coordinator that holds it sends the nonce.
    shard smallint NOT NULL,
    -- The phone that claims it.
    user_id text NOT NULL,
    device_id text NOT NULL,
    -- Null once it was echoed.
    nonce text,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- From when on the push leaves; and when it left.
    due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    sent_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS device_claims_nonce ON device_claims (nonce) WHERE nonce IS NOT NULL;
CREATE INDEX IF NOT EXISTS device_claims_due ON device_claims (shard) WHERE sent_at IS NULL AND nonce IS NOT NULL;
