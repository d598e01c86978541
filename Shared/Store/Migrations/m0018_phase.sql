-- Where the match stood with this version, by the provider's status (`MatchPhase.name`), and whether nothing was to come for as
-- long as a keep-alive takes. Null in rows of an event-bus that does not say so: what it writes never says what another bus
-- said of an older version, because each version has a row of its own.
ALTER TABLE match_updates ADD COLUMN IF NOT EXISTS phase text;
ALTER TABLE match_updates ADD COLUMN IF NOT EXISTS is_break boolean;

-- Only the newest version of each match is asked. Once, what was said in words is read from them.
UPDATE match_updates AS u SET phase = known.phase, is_break = known.phase IN (
    'inningsBreak', 'lunch', 'tea', 'dinner', 'stumps', 'interrupted')
FROM (
    SELECT match_id, version, CASE
        WHEN at_stumps THEN 'stumps'
        WHEN display_state = 'inningsBreak' THEN 'inningsBreak'
        WHEN display_state = 'suspended' THEN 'interrupted'
        WHEN display_state = 'scheduled' THEN 'notStarted'
        WHEN display_state = 'completed' THEN 'finished'
        WHEN display_state = 'abandoned' THEN 'abandoned'
        WHEN content_state LIKE '%"status":"Lunch"%' THEN 'lunch'
        WHEN content_state LIKE '%"status":"Tea"%' THEN 'tea'
        WHEN content_state LIKE '%"status":"Dinner"%' THEN 'dinner'
        ELSE 'innings'
    END AS phase
    FROM active_matches
) AS known
WHERE u.match_id = known.match_id AND u.version = known.version AND u.is_break IS NULL;
