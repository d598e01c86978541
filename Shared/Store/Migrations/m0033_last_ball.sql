-- When a ball or a run of the match was last committed: a card is renewed only if there was one since it began. Null where
-- that is not known.
ALTER TABLE active_matches ADD COLUMN IF NOT EXISTS last_ball_at timestamptz;
