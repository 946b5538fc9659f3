-- PostgreSQL's script of an upgrade by two releases.
SET statement_timeout = 0;
CREATE TABLE IF NOT EXISTS public.ota_package (id uuid NOT NULL CONSTRAINT ota_package_pkey PRIMARY KEY, created_time bigint NOT NULL DEFAULT extract(epoch from now()), device_profile_id uuid, title varchar(255) NOT NULL, data oid, CONSTRAINT ota_title_unq UNIQUE (title));
ALTER TABLE dashboard
    ADD COLUMN IF NOT EXISTS image varchar(1000000),
    ADD COLUMN IF NOT EXISTS mobile_hide boolean DEFAULT false,
    ADD COLUMN IF NOT EXISTS mobile_order int;
ALTER TABLE ONLY public.device ADD COLUMN IF NOT EXISTS firmware_id uuid, ADD COLUMN IF NOT EXISTS software_id uuid, ADD COLUMN external_id uuid;
ALTER TABLE device ADD CONSTRAINT fk_firmware_device FOREIGN KEY (firmware_id) REFERENCES ota_package(id);
DELETE FROM relation WHERE from_type = 'TENANT' AND relation_type_group = 'RULE_CHAIN';
ALTER TABLE api_usage_state ADD COLUMN IF NOT EXISTS alarm_exec VARCHAR(32);
UPDATE api_usage_state SET alarm_exec = 'ENABLED' WHERE alarm_exec IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS idx_device_external_id ON public.device USING btree (tenant_id, external_id);
ALTER TABLE tenant_profile DROP COLUMN IF EXISTS isolated_tb_core;
ALTER TABLE tenant ALTER COLUMN region SET DEFAULT 'EU', ALTER COLUMN title SET NOT NULL;
ALTER TABLE alarm ALTER COLUMN ack_ts TYPE bigint USING ack_ts::bigint;
ALTER TABLE public.dashboard DROP COLUMN search_text CASCADE;
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = 'device_external_id_unq_key') THEN
        ALTER TABLE device ADD CONSTRAINT device_external_id_unq_key UNIQUE (tenant_id, external_id);
    END IF;
END; $$;
CREATE OR REPLACE FUNCTION to_uuid(entity_id varchar) RETURNS uuid AS $$ BEGIN RETURN entity_id; END; $$ LANGUAGE plpgsql;
ALTER TYPE severity ADD VALUE 'WARNING';
ALTER TABLE public.alarm RENAME COLUMN ack_ts TO acknowledged_ts;
CREATE VIEW public.device_info AS SELECT d.id, d.name, t.title FROM device AS d JOIN tenant AS t ON d.tenant_id = t.id;
COMMENT ON TABLE device IS 'a device; of a tenant';
