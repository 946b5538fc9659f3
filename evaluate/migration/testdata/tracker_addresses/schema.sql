-- A tracker on Rails whose users have one e-mail address, as Redmine 2.6 had it.
CREATE TABLE users (id INTEGER PRIMARY KEY, login TEXT, firstname TEXT, lastname TEXT, mail TEXT, admin BOOLEAN, status INTEGER, type TEXT, created_on TEXT);
CREATE TABLE issue_statuses (id INTEGER PRIMARY KEY, name TEXT, is_closed BOOLEAN, is_default BOOLEAN, position INTEGER);
CREATE TABLE trackers (id INTEGER PRIMARY KEY, name TEXT, position INTEGER);
CREATE TABLE issues (id INTEGER PRIMARY KEY, tracker_id INTEGER REFERENCES trackers (id), project_id INTEGER, subject TEXT, status_id INTEGER REFERENCES issue_statuses (id), assigned_to_id INTEGER REFERENCES users (id), author_id INTEGER REFERENCES users (id), done_ratio INTEGER, estimated_hours REAL, parent_id INTEGER);
CREATE TABLE roles (id INTEGER PRIMARY KEY, name TEXT, permissions TEXT, issues_visibility TEXT);
CREATE TABLE time_entries (id INTEGER PRIMARY KEY, issue_id INTEGER REFERENCES issues (id), user_id INTEGER REFERENCES users (id), hours REAL, comments TEXT, spent_on TEXT);
CREATE TABLE schema_migrations (version TEXT PRIMARY KEY);
INSERT INTO users VALUES (1, 'admin', 'Redmine', 'Admin', 'admin@example.net', 1, 1, 'User', '2014-01-02'), (2, 'jsmith', 'John', 'Smith', 'jsmith@example.net', 0, 1, 'User', '2014-02-03'), (3, 'dlopper', 'Dave', 'Lopper', 'dlopper@example.net', 0, 3, 'User', '2014-02-10'), (4, '', '', 'Anonymous', '', 0, 0, 'AnonymousUser', '2014-01-01');
INSERT INTO issue_statuses VALUES (1, 'New', 0, 1, 1), (2, 'Assigned', 0, 0, 2), (5, 'Closed', 1, 0, 5);
INSERT INTO trackers VALUES (1, 'Bug', 1), (2, 'Feature', 2);
INSERT INTO issues VALUES (1, 1, 1, 'Cannot print recipes', 1, 2, 2, 0, NULL, NULL), (2, 2, 1, 'Add categories', 2, 2, 2, 30, 20, NULL), (3, 1, 1, 'Error 281', 1, NULL, 2, 0, 8, 2), (4, 1, 2, 'Crash on start', 5, 3, 2, 100, 2.5, NULL), (5, 2, 2, 'Sort by name', 1, NULL, 3, 10, 12, 2);
INSERT INTO roles VALUES (1, 'Manager', ':view_issues :move_issues', 'all'), (2, 'Developer', ':view_issues :edit_issues', 'default');
INSERT INTO time_entries VALUES (1, 1, 2, 4.25, 'My hours', '2014-03-23'), (2, 1, 1, 150, 'hours', '2014-03-12'), (3, 3, 1, 1, 'hours', '2014-04-21');
INSERT INTO schema_migrations VALUES ('20140920094058');
