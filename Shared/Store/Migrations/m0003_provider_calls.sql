-- The provider allows so many calls per endpoint and hour, whoever makes them: all replicas and services count here.
CREATE TABLE IF NOT EXISTS provider_calls (
    endpoint text PRIMARY KEY,
    -- The hour begins with its first call.
    hour_began timestamptz NOT NULL,
    used int NOT NULL,
    -- The provider said 429: nobody calls before this.
    refused_until timestamptz,
    -- Answers of 429 since the last good one.
    refusals int NOT NULL DEFAULT 0
);
