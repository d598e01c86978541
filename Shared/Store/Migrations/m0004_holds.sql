-- What the operator keeps from leaving, of one match or everywhere. A row whose level is 'none' says who lifted it.
CREATE TABLE IF NOT EXISTS holds (
    -- 'everywhere', or the match's id in decimal.
    scope text PRIMARY KEY CHECK (scope = 'everywhere' OR scope ~ '^[1-9][0-9]{0,18}$'),
    -- Null: everywhere.
    match_id bigint GENERATED ALWAYS AS (CASE WHEN scope <> 'everywhere' THEN scope::bigint END) STORED,
    level text NOT NULL CHECK (level IN ('none', 'alerts', 'pushes')),
    -- Since when it is at this level, and by whom.
    set_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    set_by text NOT NULL
);

-- Ends are looked for match by match, so that those of a held match cost nothing while they wait.
CREATE INDEX IF NOT EXISTS live_activities_ends_by_match ON live_activities (match_id, shard) WHERE end_push = 'due';
