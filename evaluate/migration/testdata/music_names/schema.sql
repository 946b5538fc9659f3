-- Artists and works whose names lie in tables of their own, as MusicBrainz had them before its schema change of May 2014.
CREATE TABLE artist_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE work_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE artist (id INTEGER PRIMARY KEY, gid TEXT NOT NULL, name INTEGER NOT NULL REFERENCES artist_name (id), sort_name INTEGER NOT NULL REFERENCES artist_name (id), begin_date_year INTEGER, country INTEGER, ended INTEGER);
CREATE TABLE country (id INTEGER PRIMARY KEY, iso_code TEXT NOT NULL, name TEXT NOT NULL);
CREATE TABLE work (id INTEGER PRIMARY KEY, name INTEGER NOT NULL REFERENCES work_name (id), type TEXT);
CREATE TABLE artist_work (artist INTEGER REFERENCES artist (id), work INTEGER REFERENCES work (id));
INSERT INTO artist_name VALUES (11, 'Clara Schumann'), (12, 'Schumann, Clara'), (13, 'Erik Satie'), (14, 'Satie, Erik'), (15, 'Moondog');
INSERT INTO work_name VALUES (21, 'Gymnopédie No. 1'), (22, 'Three Romances'), (23, 'Bird''s Lament');
INSERT INTO country VALUES (1, 'DE', 'Germany'), (2, 'FR', 'France'), (3, 'US', 'United States');
INSERT INTO artist VALUES (1, 'g1', 11, 12, 1819, 1, 1), (2, 'g2', 13, 14, 1866, 2, 1), (3, 'g3', 15, 15, 1916, 3, 1);
INSERT INTO work VALUES (1, 21, 'Piano'), (2, 22, 'Chamber'), (3, 23, 'Canon');
INSERT INTO artist_work VALUES (1, 2), (2, 1), (3, 3);
