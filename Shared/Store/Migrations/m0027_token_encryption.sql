-- By which key push tokens are written: that of the sample, which is a known text stored as a token is (`TokenCipher`). In
-- clear as long as there is none. One row.
CREATE TABLE IF NOT EXISTS token_encryption (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    sample text,
    -- No token is in clear any more.
    is_complete boolean NOT NULL DEFAULT false
);
INSERT INTO token_encryption DEFAULT VALUES ON CONFLICT DO NOTHING;

-- What a stored token is found by: the lookup of an encrypted one (`TokenCipher`), one in clear itself.
CREATE OR REPLACE FUNCTION token_key(stored text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN left(stored, 1) = '$' THEN left(stored, 23) ELSE stored END $$;

-- The indexes of the columns themselves are dropped by the next release: processes of the one before use them.
CREATE UNIQUE INDEX IF NOT EXISTS devices_device_token_key ON devices (token_key(device_token))
    WHERE token_key(device_token) IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS devices_start_token_key ON devices (token_key(push_to_start_token))
    WHERE token_key(push_to_start_token) IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS device_claims_token_key ON device_claims (token_key(device_token));
CREATE UNIQUE INDEX IF NOT EXISTS live_activities_token_key ON live_activities (token_key(update_token))
    WHERE status <> 'ended' AND token_key(update_token) IS NOT NULL;
CREATE INDEX IF NOT EXISTS live_activities_due_token_key ON live_activities (token_key(update_token))
    WHERE end_push = 'due' AND token_key(update_token) IS NOT NULL;
