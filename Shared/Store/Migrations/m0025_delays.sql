-- Alerts are claimed, and progress is noted, per delay, in seconds: who is told first must not take the alert from those
-- who want it later. Everybody is told at once for now.
ALTER TABLE alert_claims ADD COLUMN IF NOT EXISTS delay int NOT NULL DEFAULT 0;
ALTER TABLE alert_claims DROP CONSTRAINT IF EXISTS alert_claims_pkey;
ALTER TABLE alert_claims ADD CONSTRAINT alert_claims_pkey PRIMARY KEY (match_id, alert_version, bucket, delay);

ALTER TABLE bucket_progress ADD COLUMN IF NOT EXISTS delay int NOT NULL DEFAULT 0;
-- The primary key of two columns stays for one release: a coordinator of the one before names it.
CREATE UNIQUE INDEX IF NOT EXISTS bucket_progress_by_delay ON bucket_progress (match_id, bucket, delay);
