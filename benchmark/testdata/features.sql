PRAGMA foreign_keys=OFF;
CREATE TABLE "sales region" (code TEXT PRIMARY KEY, "region name" TEXT NOT NULL, manager TEXT) WITHOUT ROWID;
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, zip TEXT CHECK (length(zip) = 5), city TEXT, age INTEGER CHECK (age BETWEEN 0 AND 130),
  region TEXT REFERENCES "sales region"(code), email TEXT UNIQUE, CHECK (city <> name)) ;
CREATE TABLE product (sku TEXT PRIMARY KEY, title TEXT NOT NULL, price REAL, cost REAL, stock INTEGER NOT NULL DEFAULT 0, margin REAL GENERATED ALWAYS AS (price - cost) VIRTUAL,
  shown TEXT GENERATED ALWAYS AS (upper(title)) STORED) STRICT;
CREATE TABLE "order" (order_id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER NOT NULL REFERENCES customer(customer_id), sku TEXT REFERENCES product(sku), quantity INTEGER, status TEXT, ordered DATE);
CREATE TABLE "größe" (id INTEGER PRIMARY KEY, "länge" REAL, "straße" TEXT, "select" TEXT);
CREATE TABLE log (entry TEXT, at TEXT);
CREATE TABLE membership (customer_id INTEGER, club TEXT, since INTEGER, PRIMARY KEY (customer_id, club)) WITHOUT ROWID;
CREATE INDEX by_status ON "order"(status) WHERE status = 'open';
CREATE INDEX by_lower ON customer(lower(city));
CREATE INDEX by_title ON product(title COLLATE NOCASE);
CREATE UNIQUE INDEX one_mail ON customer(email) WHERE email IS NOT NULL;
CREATE VIEW adult AS SELECT customer_id, name, city, age FROM customer WHERE age >= 18;
CREATE VIEW sales(city, total) AS SELECT c.city, sum(o.quantity) FROM customer c JOIN "order" o USING (customer_id) GROUP BY c.city;
CREATE TRIGGER logged AFTER INSERT ON "order" BEGIN INSERT INTO log(entry, at) VALUES (new.status, new.ordered); UPDATE product SET stock = stock - new.quantity WHERE sku = new.sku; END;
CREATE TRIGGER aged BEFORE UPDATE OF age ON customer WHEN new.age < old.age BEGIN SELECT RAISE(ABORT, 'younger'); END;
CREATE TRIGGER into_adult INSTEAD OF INSERT ON adult BEGIN INSERT INTO customer(name, city, age) VALUES (new.name, new.city, new.age); END;
CREATE VIRTUAL TABLE notes USING fts5(title, body);
CREATE VIRTUAL TABLE areas USING rtree(id, minx, maxx, miny, maxy);
INSERT INTO "sales region" VALUES ('N','North','Ann'),('S','South','Bo'),('W','West',NULL);
INSERT INTO notes VALUES ('first','the quick fox'),('second','lazy dog');
INSERT INTO areas VALUES (1,0,1,0,1),(2,2,3,2,3);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60) INSERT INTO customer SELECT i,'Name '||i, printf('%05d',i*37), 'City '||(i%7), 10+i%60, substr('NSW',1+i%3,1), CASE WHEN i%5 THEN 'm'||i||'@x.org' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<25) INSERT INTO product(sku,title,price,cost,stock) SELECT printf('%04d',i),'Thing '||i, 2.5*i, 1.5*i, 100 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200) INSERT INTO "order"(customer_id,sku,quantity,status,ordered) SELECT 1+i%60, printf('%04d',1+i%25), 1+i%4, CASE i%3 WHEN 0 THEN 'open' WHEN 1 THEN 'sent' ELSE 'paid' END, date('2020-01-01','+'||i||' days') FROM n;
INSERT INTO "größe" VALUES (1,1.5,'Am Ring','a'),(2,2.5,'Hauptstraße','b'),(3,NULL,'Weg','c');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<40) INSERT INTO membership SELECT i, CASE i%2 WHEN 0 THEN 'Gold' ELSE 'Silver' END, 2000+i%20 FROM n;
