-- Steps of version 6 and 7, as they are in the folder of PostgreSQL.
UPDATE posts SET rootid = parentid WHERE rootid = '' AND rootid != parentid;
ALTER TABLE posts DROP COLUMN IF EXISTS parentid;
ALTER TABLE users DROP COLUMN IF EXISTS acceptedtermsofserviceid;
ALTER TABLE channels DROP COLUMN IF EXISTS extraupdateat;
ALTER TABLE channels ADD COLUMN IF NOT EXISTS totalmsgcountroot bigint;
ALTER TABLE channels ADD COLUMN IF NOT EXISTS lastrootpostat bigint DEFAULT '0'::bigint;
WITH q AS (SELECT channels.id AS channelid, count(*) AS newcount FROM channels INNER JOIN posts ON channels.id = posts.channelid WHERE posts.rootid = '' GROUP BY channels.id)
UPDATE channels SET totalmsgcountroot = q.newcount FROM q WHERE q.channelid = channels.id;
ALTER TABLE channelmembers ADD COLUMN IF NOT EXISTS mentioncountroot bigint, ADD COLUMN IF NOT EXISTS msgcountroot bigint;
ALTER TABLE threads ADD COLUMN IF NOT EXISTS channelid VARCHAR(26);
UPDATE threads SET channelid = posts.channelid FROM posts WHERE posts.id = threads.postid AND threads.channelid IS NULL;
ALTER TABLE threads RENAME COLUMN deleteat TO threaddeleteat;
ALTER TABLE sidebarcategories ADD COLUMN IF NOT EXISTS collapsed boolean;
ALTER TABLE sidebarcategories ALTER COLUMN id TYPE VARCHAR(128);
DO $$
BEGIN
    IF NOT EXISTS (SELECT * FROM pg_type typ INNER JOIN pg_namespace nsp ON nsp.oid = typ.typnamespace WHERE nsp.nspname = current_schema() AND typ.typname = 'channel_type') THEN
        CREATE TYPE channel_type AS ENUM ('P', 'G', 'O', 'D');
    END IF;
END;
$$ LANGUAGE plpgsql;
ALTER TABLE channels ALTER COLUMN type TYPE channel_type USING type::channel_type;
CREATE TABLE IF NOT EXISTS drafts (createat bigint, updateat bigint, userid VARCHAR(26), channelid VARCHAR(26), rootid VARCHAR(26) DEFAULT '', message VARCHAR(65535), PRIMARY KEY (userid, channelid, rootid));
CREATE INDEX IF NOT EXISTS idx_posts_root_id_delete_at ON posts (rootid, deleteat);
DELETE FROM channelmembers WHERE channelid IN (SELECT id FROM channels WHERE type = 'D') AND msgcount < 2;
