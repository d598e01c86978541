-- The https addresses of the teams' logos; null where the provider has none, and until the next sync of the schedule.
ALTER TABLE fixtures ADD COLUMN IF NOT EXISTS home_logo text, ADD COLUMN IF NOT EXISTS away_logo text;
