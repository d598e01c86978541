-- When the provider first said that a fixture is over, null while it is not, and where nobody saw it happen: until then it
-- was in play on each day since its start.
ALTER TABLE fixtures ADD COLUMN IF NOT EXISTS over_at timestamptz;
