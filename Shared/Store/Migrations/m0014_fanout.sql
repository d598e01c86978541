-- The provider token before the one of now, for an APNs that says there were too many; and until when no other is made.
ALTER TABLE apns_provider_tokens ADD COLUMN IF NOT EXISTS previous_token text;
ALTER TABLE apns_provider_tokens ADD COLUMN IF NOT EXISTS previous_issued_at timestamptz;
ALTER TABLE apns_provider_tokens ADD COLUMN IF NOT EXISTS frozen_until timestamptz;
