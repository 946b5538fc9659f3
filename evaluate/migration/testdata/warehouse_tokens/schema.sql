-- A shop on Django whose order lines get their token as their id, as Saleor did from 3.4 to 3.5; and addresses get the names of companies.
CREATE TABLE "account_address" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "company_name" varchar(256) NOT NULL, "city" varchar(256) NOT NULL, "country" varchar(2) NOT NULL);
CREATE TABLE "warehouse_warehouse" ("id" char(32) NOT NULL PRIMARY KEY, "name" varchar(250) NOT NULL, "slug" varchar(255) NOT NULL UNIQUE, "company_name" varchar(255) NOT NULL, "email" varchar(254) NOT NULL, "address_id" integer NOT NULL REFERENCES "account_address" ("id"));
CREATE TABLE "order_orderline" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "product_name" varchar(386) NOT NULL, "quantity" integer NOT NULL, "unit_price" decimal NOT NULL, "token" char(32) NOT NULL UNIQUE, "is_shipping_required" bool NOT NULL);
CREATE TABLE "warehouse_allocation" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "order_line_id" integer NOT NULL REFERENCES "order_orderline" ("id"), "stock_id" integer NOT NULL REFERENCES "warehouse_stock" ("id"), "quantity_allocated" integer NOT NULL);
CREATE TABLE "warehouse_stock" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "warehouse_id" char(32) NOT NULL REFERENCES "warehouse_warehouse" ("id"), "product_sku" varchar(255) NOT NULL, "quantity" integer NOT NULL);
INSERT INTO account_address VALUES (1, '', 'Wroclaw', 'PL'), (2, 'Mirumee', 'Oslo', 'NO'), (3, '', 'Porto', 'PT');
INSERT INTO warehouse_warehouse VALUES ('w1', 'Main', 'main', 'Depot Ltd', 'a@x.org', 1), ('w2', 'North', 'north', 'Nord AS', 'b@x.org', 2), ('w3', 'South', 'south', '', 'c@x.org', 3);
INSERT INTO order_orderline VALUES (1, 'Apple juice', 3, 2.5, 'f00', 1), (2, 'Beanie', 1, 15, 'a11', 1), (3, 'Gift card', 1, 50, 'c22', 0), (4, 'Apple juice', 6, 2.4, 'b33', 1);
INSERT INTO warehouse_stock VALUES (1, 'w1', 'JUICE', 100), (2, 'w2', 'JUICE', 20), (3, 'w1', 'HAT', 7);
INSERT INTO warehouse_allocation VALUES (1, 1, 1, 3), (2, 2, 3, 1), (3, 4, 2, 6);
