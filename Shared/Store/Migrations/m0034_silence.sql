-- Why a match has ended without a result: 'silent' when nobody reported it any more or an operator ended it. A match that
-- reopens has none.
ALTER TABLE active_matches ADD COLUMN IF NOT EXISTS end_reason text;
-- When an operator asked for that; event-bus does it.
ALTER TABLE active_matches ADD COLUMN IF NOT EXISTS end_asked_at timestamptz;
