-- Hashes of the start tokens that a phone had before, the newest first: a report of one of them comes too late. Nothing is
-- written here with a phone's first token.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS former_start_tokens text[];
