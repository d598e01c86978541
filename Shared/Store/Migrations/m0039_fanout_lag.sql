-- Since when more than one in a hundred of a coordinator's phones of the match, or one of its channels, have lacked a
-- version; null when none has.
ALTER TABLE fanout_progress ADD COLUMN IF NOT EXISTS behind_since timestamptz;
