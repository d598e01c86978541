-- Who has registered a device token of another user's, until the phone has shown whose it is. One row a token and account.
CREATE TABLE IF NOT EXISTS phone_claims (
    -- What the token is found by, which is not the token itself (`TokenVault.Keys`).
    token_key text NOT NULL,
    -- The phone that claims it.
    user_id text NOT NULL,
    device_id text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The nonce of the push is a keyed hash of this text, so that a copy of the table is of no use. Null when the claim is
    -- settled or withdrawn.
    challenge text,
    -- From when on the push may leave, null when none is to; and when the last one left.
    due_at timestamptz,
    sent_at timestamptz,
    -- When the phone echoed a nonce for another user.
    refused_at timestamptz,
    PRIMARY KEY (token_key, user_id)
);
CREATE INDEX IF NOT EXISTS phone_claims_user ON phone_claims (user_id);
CREATE INDEX IF NOT EXISTS phone_claims_due ON phone_claims (due_at) WHERE due_at IS NOT NULL;

-- What held claims before, with tokens in it that nobody would erase.
DROP TABLE IF EXISTS device_claims;
ALTER TABLE devices DROP COLUMN IF EXISTS reconcile_before_at;
