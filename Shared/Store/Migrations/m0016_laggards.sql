-- The few phones of a bucket that do not show its settled stamp, because APNs does not take what is sent to them: by a hash
-- of their tokens. Whoever takes the bucket over repeats the state to them, and not to everybody.
ALTER TABLE bucket_progress ADD COLUMN IF NOT EXISTS laggards bigint[] NOT NULL DEFAULT '{}';
