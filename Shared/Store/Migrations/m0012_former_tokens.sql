-- Hashes of the tokens that an activity had before, the newest first: a report of one of them comes too late. Nothing is
-- written here with an activity's first token, and most never get another.
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS former_tokens bigint[];
