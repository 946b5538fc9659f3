-- Devices and dashboards of tenants, as ThingsBoard 3.2 had them.
CREATE TABLE tenant_profile (id TEXT PRIMARY KEY, created_time INTEGER, name TEXT, is_default INTEGER, isolated_tb_core INTEGER, isolated_tb_rule_engine INTEGER);
CREATE TABLE tenant (id TEXT PRIMARY KEY, title TEXT, region TEXT, tenant_profile_id TEXT REFERENCES tenant_profile (id));
CREATE TABLE device (id TEXT PRIMARY KEY, tenant_id TEXT REFERENCES tenant (id), name TEXT, label TEXT, type TEXT, created_time INTEGER);
CREATE TABLE dashboard (id TEXT PRIMARY KEY, tenant_id TEXT REFERENCES tenant (id), title TEXT, search_text TEXT);
CREATE TABLE relation (from_id TEXT, from_type TEXT, to_id TEXT, to_type TEXT, relation_type_group TEXT, relation_type TEXT);
CREATE TABLE api_usage_state (id TEXT PRIMARY KEY, tenant_id TEXT, transport TEXT, db_storage TEXT);
CREATE TABLE alarm (id TEXT PRIMARY KEY, originator_id TEXT, severity TEXT, status TEXT, ack_ts INTEGER, type TEXT);
INSERT INTO tenant_profile VALUES ('p1', 10, 'Default', 1, 0, 0), ('p2', 20, 'Large', 0, 1, 1);
INSERT INTO tenant VALUES ('t1', 'Farm', 'EU', 'p1'), ('t2', 'Plant', 'US', 'p2'), ('t3', 'Lab', 'EU', 'p1');
INSERT INTO device VALUES ('d1', 't1', 'Pump', 'north', 'motor', 100), ('d2', 't1', 'Probe', NULL, 'thermometer', 110), ('d3', 't2', 'Press', 'hall 2', 'motor', 120), ('d4', 't3', 'Scale', NULL, 'scale', 130);
INSERT INTO dashboard VALUES ('b1', 't1', 'Water', 'water'), ('b2', 't2', 'Line 1', 'line 1');
INSERT INTO relation VALUES ('t1', 'TENANT', 'r1', 'RULE_CHAIN', 'RULE_CHAIN', 'Contains'), ('d1', 'DEVICE', 'd2', 'DEVICE', 'COMMON', 'Contains'), ('t2', 'TENANT', 'a1', 'ASSET', 'COMMON', 'Owns');
INSERT INTO api_usage_state VALUES ('u1', 't1', 'ENABLED', 'ENABLED'), ('u2', 't2', 'DISABLED', 'ENABLED');
INSERT INTO alarm VALUES ('m1', 'd1', 'CRITICAL', 'ACTIVE_UNACK', 0, 'dry'), ('m2', 'd3', 'MINOR', 'CLEARED_ACK', 90, 'hot'), ('m3', 'd3', 'CRITICAL', 'ACTIVE_ACK', 95, 'stuck');
