-- A sample: a database of two tables and a view, and a role that may read it.
CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, city text);
CREATE TABLE purchase (id int PRIMARY KEY, customer_id int REFERENCES customer, ordered_on date, amount numeric(8,2));
COMMENT ON COLUMN purchase.ordered_on IS 'the day on which it was ordered';
CREATE VIEW large AS SELECT customer_id FROM purchase WHERE amount > 10;
INSERT INTO customer VALUES (1, 'Ann', 'Oslo'), (2, 'Bo', 'Paris'), (3, 'Cy', 'Oslo'), (4, 'Di', NULL);
INSERT INTO purchase VALUES (1, 1, '2020-01-02', 9.50), (2, 1, '2020-02-03', 20), (3, 2, '2021-05-06', 12.25), (4, 3, '2021-07-08', 3);
CREATE ROLE reader LOGIN;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
ALTER ROLE reader SET default_transaction_read_only = on;
