-- A chat whose posts know their parent, as Mattermost 5 had it.
CREATE TABLE users (id TEXT PRIMARY KEY, createat INTEGER, username TEXT, email TEXT, roles TEXT, acceptedtermsofserviceid TEXT, locale TEXT);
CREATE TABLE channels (id TEXT PRIMARY KEY, createat INTEGER, deleteat INTEGER, teamid TEXT, type TEXT, displayname TEXT, name TEXT, totalmsgcount INTEGER, extraupdateat INTEGER, creatorid TEXT REFERENCES users (id));
CREATE TABLE channelmembers (channelid TEXT REFERENCES channels (id), userid TEXT REFERENCES users (id), roles TEXT, msgcount INTEGER, mentioncount INTEGER, PRIMARY KEY (channelid, userid));
CREATE TABLE posts (id TEXT PRIMARY KEY, createat INTEGER, deleteat INTEGER, userid TEXT REFERENCES users (id), channelid TEXT REFERENCES channels (id), rootid TEXT, parentid TEXT, message TEXT, ispinned BOOLEAN);
CREATE TABLE threads (postid TEXT PRIMARY KEY REFERENCES posts (id), replycount INTEGER, lastreplyat INTEGER, participants TEXT, deleteat INTEGER);
CREATE TABLE sidebarcategories (id TEXT PRIMARY KEY, userid TEXT REFERENCES users (id), displayname TEXT, sorting TEXT);
INSERT INTO users VALUES ('u1', 10, 'anna', 'anna@example.com', 'system_admin', 't1', 'en'), ('u2', 11, 'boris', 'boris@example.com', 'system_user', '', 'de'), ('u3', 15, 'chen', 'chen@example.com', 'system_user', 't1', 'en');
INSERT INTO channels VALUES ('c1', 20, 0, 'm1', 'O', 'Town Square', 'town-square', 5, 21, 'u1'), ('c2', 22, 0, 'm1', 'P', 'Leads', 'leads', 2, 23, 'u1'), ('c3', 25, 90, 'm1', 'O', 'Old', 'old', 0, 26, 'u2'), ('c4', 27, 0, '', 'D', '', 'u1__u2', 1, 28, 'u2');
INSERT INTO channelmembers VALUES ('c1', 'u1', 'channel_admin', 5, 0), ('c1', 'u2', 'channel_user', 3, 2), ('c1', 'u3', 'channel_user', 4, 1), ('c2', 'u1', 'channel_admin', 2, 0), ('c2', 'u3', 'channel_user', 0, 2), ('c4', 'u1', 'channel_user', 1, 0);
INSERT INTO posts VALUES ('p1', 30, 0, 'u1', 'c1', '', '', 'Welcome', 1), ('p2', 31, 0, 'u2', 'c1', 'p1', 'p1', 'Thanks', 0), ('p3', 32, 0, 'u3', 'c1', 'p1', 'p2', 'Hello both', 0), ('p4', 35, 0, 'u3', 'c2', '', '', 'Budget?', 0), ('p5', 36, 0, 'u1', 'c2', '', 'p4', 'Next week', 0), ('p6', 38, 40, 'u2', 'c1', '', '', 'oops', 0);
INSERT INTO threads VALUES ('p1', 2, 32, 'u2 u3', NULL), ('p6', 1, 39, 'u2', 40);
INSERT INTO sidebarcategories VALUES ('s1', 'u1', 'Favorites', ''), ('s2', 'u1', 'Direct Messages', 'recent'), ('s3', 'u2', 'Channels', 'alpha');
