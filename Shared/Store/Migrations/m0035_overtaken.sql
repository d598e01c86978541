-- Keys of announced events that the match has moved past by this version: no push tells them any more.
ALTER TABLE match_updates ADD COLUMN IF NOT EXISTS overtaken jsonb NOT NULL DEFAULT '[]';
