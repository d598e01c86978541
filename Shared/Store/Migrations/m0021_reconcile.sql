-- Only columns, phones first, as requests take the two tables, and no row is read under these locks. Indexes: m0022.

-- The one kind of silent push: it asks the app to say what it shows. Due, and not before when, because a token died and
-- the app has not been heard of since; the last two that left, whatever for: no more than two an hour.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS reconcile_due_at timestamptz,
    ADD COLUMN IF NOT EXISTS reconcile_sent_at timestamptz,
    ADD COLUMN IF NOT EXISTS reconcile_before_at timestamptz;

-- A card whose update token APNs calls dead was swiped away, lost, or is there under another token: only the phone knows.
-- While one of these stands in the newest generation of a match on a phone, nothing starts a card there by itself
-- (MissingCard). unknown: the phone has not said; gone: it is not there, and the user may have swiped it away.
-- seen_at: when the phone last listed the card, beside registering its tokens.
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS card text, ADD COLUMN IF NOT EXISTS seen_at timestamptz;
-- Not valid: the rows that are there have none, and need not be read to see that.
ALTER TABLE live_activities DROP CONSTRAINT IF EXISTS live_activities_card_check;
ALTER TABLE live_activities ADD CONSTRAINT live_activities_card_check CHECK (card IN ('unknown', 'gone')) NOT VALID;
