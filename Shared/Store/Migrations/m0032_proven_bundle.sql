-- A proof is one of a bundle id: what APNs accepted under another one says nothing of ours.
ALTER TABLE devices ADD COLUMN IF NOT EXISTS proven_bundle text;
ALTER TABLE bucket_progress ADD COLUMN IF NOT EXISTS bundle text NOT NULL DEFAULT '';
