-- A forum whose users have one e-mail address and whose groups are seen or not, as Discourse 1.8 had it.
CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, name TEXT, email TEXT, admin BOOLEAN, moderator BOOLEAN, trust_level INTEGER, created_at TEXT, last_seen_at TEXT);
CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT, visible BOOLEAN, automatic BOOLEAN);
CREATE TABLE group_users (id INTEGER PRIMARY KEY, group_id INTEGER REFERENCES groups (id), user_id INTEGER REFERENCES users (id), owner BOOLEAN);
CREATE TABLE user_options (user_id INTEGER PRIMARY KEY REFERENCES users (id), email_always BOOLEAN, email_direct BOOLEAN, mailing_list_mode BOOLEAN);
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT, user_id INTEGER REFERENCES users (id), topic_count INTEGER, suppress_from_homepage BOOLEAN);
CREATE TABLE topics (id INTEGER PRIMARY KEY, title TEXT, user_id INTEGER REFERENCES users (id), category_id INTEGER REFERENCES categories (id), posts_count INTEGER, views INTEGER, vote_count INTEGER, closed BOOLEAN);
CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), topic_id INTEGER REFERENCES topics (id), post_number INTEGER, raw TEXT, like_count INTEGER, vote_count INTEGER);
CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), topic_id INTEGER REFERENCES topics (id), post_id INTEGER REFERENCES posts (id), for_topic BOOLEAN);
INSERT INTO users VALUES (1, 'system', 'System', 'system@example.com', 1, 1, 4, '2016-01-01', NULL), (2, 'mira', 'Mira K', 'mira@example.com', 1, 0, 4, '2016-02-01', '2017-08-01'), (3, 'joffrey', 'Joffrey', 'j@example.org', 0, 1, 3, '2016-05-01', '2017-07-30'), (4, 'lan', 'Lan', 'lan@example.org', 0, 0, 1, '2017-01-09', '2017-08-02');
INSERT INTO groups VALUES (1, 'admins', 1, 1), (2, 'staff', 1, 1), (10, 'secret-santa', 0, 0), (11, 'designers', 1, 0);
INSERT INTO group_users VALUES (1, 1, 2, 1), (2, 2, 2, 0), (3, 2, 3, 0), (4, 10, 4, 1), (5, 11, 3, 1);
INSERT INTO user_options VALUES (2, 1, 1, 0), (3, 0, 1, 0), (4, 0, 0, 1);
INSERT INTO categories VALUES (1, 'Uncategorized', 1, 2, 0), (2, 'Lounge', 1, 1, 1), (3, 'Bugs', 2, 1, 0);
INSERT INTO topics VALUES (1, 'Welcome', 1, 1, 2, 300, 0, 0), (2, 'Lounge rules', 2, 2, 1, 40, 3, 1), (3, 'Crash on save', 4, 3, 3, 120, 7, 0);
INSERT INTO posts VALUES (1, 1, 1, 1, 'Hi all', 5, 0), (2, 4, 1, 2, 'Hello', 1, 0), (3, 2, 2, 1, 'Be kind', 3, 2), (4, 4, 3, 1, 'It crashes', 0, 4), (5, 3, 3, 2, 'Fixed', 6, 1), (6, 4, 3, 3, 'Thanks', 2, 0);
INSERT INTO bookmarks VALUES (1, 2, 3, 4, 0), (2, 4, 3, 5, 0), (3, 4, 1, 1, 1), (4, 3, 2, 3, 0);
