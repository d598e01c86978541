-- Who runs: each process renews its row, which expires 30 s later (`Presence`). A row is of one process: instances have
-- names of their own on a host.
CREATE TABLE IF NOT EXISTS processes (
    service text NOT NULL,
    host text NOT NULL,
    instance text NOT NULL,
    version text NOT NULL,
    started_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- Names of settings that are secrets, each with a hash: equal hashes, equal secrets.
    secrets jsonb NOT NULL,
    -- The keys of TOKEN_KEY_FILE, as ID:HASH (`TokenCipher.fingerprints`); null where it is not read.
    token_keys text[],
    -- How far the process's clock is ahead of the database's.
    clock_offset_ms bigint,
    -- The last call to each of the others: {"apns": {"outcome": "200", "at": seconds since 1970}}.
    calls jsonb NOT NULL,
    PRIMARY KEY (service, host, instance)
);

-- The key of the hashes in `processes.secrets`. One row.
CREATE TABLE IF NOT EXISTS process_hash_key (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    key text NOT NULL DEFAULT gen_random_uuid()::text
);
INSERT INTO process_hash_key DEFAULT VALUES ON CONFLICT DO NOTHING;

-- The keys under which tokens may still be, beside that of the sample: until `sightscreen secrets rotate` has come to
-- its end. The column `is_complete` is not read any more, and is dropped by a later release.
ALTER TABLE token_encryption ADD COLUMN IF NOT EXISTS former_keys text[] NOT NULL DEFAULT '{}';
