-- When the database last went back: a process found that what it had written is not there (`DatabaseHistory`). One row.
CREATE TABLE IF NOT EXISTS database_history (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    went_back_at timestamptz NOT NULL DEFAULT 'epoch'
);
INSERT INTO database_history DEFAULT VALUES ON CONFLICT DO NOTHING;
