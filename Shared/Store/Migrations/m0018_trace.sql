-- In which trace (W3C traceparent) a version was made: coordinators that read the log go on from there. Nil from services
-- that do not know of it.
ALTER TABLE match_updates ADD COLUMN IF NOT EXISTS traceparent text;
