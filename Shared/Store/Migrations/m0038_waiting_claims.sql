-- The host to which a claim's push goes: claims wait for a push to one token and host, a few at a time.
ALTER TABLE phone_claims ADD COLUMN IF NOT EXISTS environment text;

-- A token's claims are many when somebody floods it; those that wait and those that were sent are found by themselves.
DROP INDEX IF EXISTS phone_claims_due;
CREATE INDEX IF NOT EXISTS phone_claims_waiting ON phone_claims (token_key, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS phone_claims_sent ON phone_claims (token_key) WHERE sent_at IS NOT NULL;
