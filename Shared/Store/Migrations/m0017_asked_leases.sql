-- When somebody on another host last wanted this lease: its holder lets go of what it has no use for any more.
ALTER TABLE leases ADD COLUMN IF NOT EXISTS asked_at timestamptz;
