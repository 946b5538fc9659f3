-- What Rails runs on PostgreSQL for an upgrade to 3.2.
ALTER TABLE "trackers" ADD COLUMN "default_status_id" integer;
UPDATE "trackers" SET "default_status_id" = 1;
ALTER TABLE "issue_statuses" DROP "is_default";
CREATE TABLE "email_addresses" ("id" serial primary key, "user_id" integer NOT NULL, "address" character varying NOT NULL, "is_default" boolean DEFAULT 'f' NOT NULL, "notify" boolean DEFAULT 't' NOT NULL, "created_on" timestamp NOT NULL, "updated_on" timestamp NOT NULL);
INSERT INTO email_addresses (user_id, address, is_default, notify, created_on, updated_on) SELECT id, mail, 't', 't', created_on, created_on FROM users WHERE type = 'User' AND mail <> '';
ALTER TABLE "users" DROP "mail";
CREATE  INDEX  "index_email_addresses_on_user_id" ON "email_addresses"  ("user_id");
UPDATE "roles" SET "permissions" = replace("permissions", ' :move_issues', '') WHERE "permissions" LIKE '%:move_issues%';
UPDATE issues SET estimated_hours = NULL WHERE id IN (SELECT DISTINCT parent_id FROM issues WHERE parent_id IS NOT NULL);
ALTER TABLE "roles" ADD COLUMN "time_entries_visibility" character varying(30) DEFAULT 'all' NOT NULL;
ALTER TABLE "roles" ADD COLUMN "all_roles_managed" boolean DEFAULT 't' NOT NULL;
CREATE TABLE "roles_managed_roles" ("role_id" integer NOT NULL, "managed_role_id" integer NOT NULL);
CREATE UNIQUE INDEX  "index_roles_managed_roles" ON "roles_managed_roles"  ("role_id", "managed_role_id");
ALTER TABLE "time_entries" ALTER COLUMN "comments" TYPE character varying(1024);
INSERT INTO "schema_migrations" (version) VALUES ('20150921210243');
