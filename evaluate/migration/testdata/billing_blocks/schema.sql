-- Accounts and overridden blocks of a catalog in subscription billing, as Kill Bill 0.18 had them.
CREATE TABLE accounts (record_id INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, external_key TEXT, email TEXT, name TEXT, currency TEXT, is_notified_for_invoices INTEGER NOT NULL, migrated INTEGER, created_date TEXT);
CREATE TABLE account_history (record_id INTEGER PRIMARY KEY, target_record_id INTEGER, name TEXT, is_notified_for_invoices INTEGER, change_type TEXT);
CREATE TABLE catalog_override_block_definition (record_id INTEGER PRIMARY KEY, parent_unit_name TEXT NOT NULL, size NUMERIC NOT NULL, max NUMERIC, currency TEXT, price NUMERIC, effective_date TEXT);
CREATE TABLE catalog_override_tier_block (record_id INTEGER PRIMARY KEY, block_number INTEGER, block_def_record_id INTEGER REFERENCES catalog_override_block_definition (record_id), target_tier_def_record_id INTEGER);
CREATE TABLE rolled_up_usage (record_id INTEGER PRIMARY KEY, subscription_id TEXT, unit_type TEXT, record_date TEXT, amount TEXT);
CREATE INDEX usage_by_unit ON rolled_up_usage (unit_type);
INSERT INTO accounts VALUES (1, 'a1', 'k1', 'ann@x.org', 'Ann', 'USD', 1, 0, '2016-02-01'), (2, 'a2', 'k2', 'bob@x.org', 'Bob', 'EUR', 0, 0, '2017-05-09'), (3, 'a3', NULL, NULL, 'Cy', 'USD', 0, 1, '2018-01-31');
INSERT INTO account_history VALUES (1, 1, 'Anne', 0, 'INSERT'), (2, 1, 'Ann', 1, 'UPDATE'), (3, 2, 'Bob', 0, 'INSERT');
INSERT INTO catalog_override_block_definition VALUES (1, 'calls', 100, 500, 'USD', 3.5, '2018-01-01'), (2, 'calls', 1000, NULL, 'EUR', 20, '2018-02-01'), (3, 'megabytes', 1024, 10240, 'USD', 5, '2018-02-01');
INSERT INTO catalog_override_tier_block VALUES (1, 1, 1, 10), (2, 2, 3, 10), (3, 1, 2, 11);
INSERT INTO rolled_up_usage VALUES (1, 's1', 'calls', '2018-03-01', '9'), (2, 's1', 'calls', '2018-03-02', '120'), (3, 's2', 'megabytes', '2018-03-01', '50'), (4, 's2', 'calls', '2018-03-05', '30');
