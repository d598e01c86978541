-- The orchestrator looks at follows in bites: those that still need an end, and those whose end has come. Without
-- these, each bite would walk over all that the bites before it have done.
CREATE INDEX IF NOT EXISTS match_follows_without_end ON match_follows (match_id, user_id) WHERE expires_at IS NULL;
CREATE INDEX IF NOT EXISTS match_follows_by_end ON match_follows (expires_at) WHERE expires_at IS NOT NULL;
