-- When APNs first took a push to the phone's present start and device token: a token that it never took may be invented.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS start_token_proven_at timestamptz;
ALTER TABLE devices ADD COLUMN IF NOT EXISTS device_token_proven_at timestamptz;

-- Accounts with tokens that APNs calls bad, and how many in the hour that began with the first. Rows go after that hour.
CREATE TABLE IF NOT EXISTS bad_tokens (
    user_id text PRIMARY KEY,
    since timestamptz NOT NULL,
    count int NOT NULL
);
