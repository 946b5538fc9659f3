-- As sqlmigrate prints it for SQLite: tables are made anew.
BEGIN;
UPDATE "account_address" SET "company_name" = (SELECT "company_name" FROM "warehouse_warehouse" WHERE "address_id" = "account_address"."id") WHERE "company_name" = '' AND "id" IN (SELECT "address_id" FROM "warehouse_warehouse");
CREATE TABLE "new__warehouse_warehouse" ("id" char(32) NOT NULL PRIMARY KEY, "name" varchar(250) NOT NULL, "slug" varchar(255) NOT NULL UNIQUE, "email" varchar(254) NOT NULL, "click_and_collect_option" varchar(30) NOT NULL, "address_id" integer NOT NULL REFERENCES "account_address" ("id") DEFERRABLE INITIALLY DEFERRED);
INSERT INTO "new__warehouse_warehouse" ("id", "name", "slug", "email", "address_id", "click_and_collect_option") SELECT "id", "name", "slug", "email", "address_id", 'disabled' FROM "warehouse_warehouse";
DROP TABLE "warehouse_warehouse";
ALTER TABLE "new__warehouse_warehouse" RENAME TO "warehouse_warehouse";
CREATE INDEX "warehouse_address_id" ON "warehouse_warehouse" ("address_id");
ALTER TABLE "order_orderline" RENAME COLUMN "id" TO "old_id";
ALTER TABLE "order_orderline" RENAME COLUMN "token" TO "id";
CREATE TABLE "new__warehouse_allocation" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "order_line_id" char(32) NOT NULL REFERENCES "order_orderline" ("id"), "stock_id" integer NOT NULL, "quantity_allocated" integer unsigned NOT NULL CHECK ("quantity_allocated" >= 0));
INSERT INTO "new__warehouse_allocation" ("id", "stock_id", "quantity_allocated", "order_line_id") SELECT a."id", a."stock_id", a."quantity_allocated", l."id" FROM "warehouse_allocation" AS a JOIN "order_orderline" AS l ON a."order_line_id" = l."old_id";
DROP TABLE "warehouse_allocation";
ALTER TABLE "new__warehouse_allocation" RENAME TO "warehouse_allocation";
ALTER TABLE "warehouse_stock" ADD COLUMN "quantity_allocated" integer DEFAULT 0 NOT NULL;
COMMIT;
