-- A blog whose posts have categories, as WordPress 2.0 had it.
CREATE TABLE wp_users (ID INTEGER PRIMARY KEY, user_login TEXT, user_email TEXT, user_registered TEXT, display_name TEXT);
CREATE TABLE wp_posts (ID INTEGER PRIMARY KEY, post_author INTEGER REFERENCES wp_users (ID), post_date TEXT, post_title TEXT, post_category INTEGER, post_status TEXT, comment_status TEXT, post_name TEXT, comment_count INTEGER);
CREATE TABLE wp_categories (cat_ID INTEGER PRIMARY KEY, cat_name TEXT, category_nicename TEXT, category_description TEXT, category_parent INTEGER, category_count INTEGER);
CREATE TABLE wp_post2cat (rel_id INTEGER PRIMARY KEY, post_id INTEGER REFERENCES wp_posts (ID), category_id INTEGER REFERENCES wp_categories (cat_ID));
CREATE TABLE wp_linkcategories (cat_id INTEGER PRIMARY KEY, cat_name TEXT, sort_order TEXT);
CREATE TABLE wp_links (link_id INTEGER PRIMARY KEY, link_url TEXT, link_name TEXT, link_category INTEGER, link_visible TEXT, link_rating INTEGER);
CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY, option_name TEXT, option_can_override TEXT, option_type INTEGER, option_value TEXT, option_width INTEGER, option_admin_level INTEGER, autoload TEXT);
INSERT INTO wp_users VALUES (1, 'admin', 'admin@example.org', '2005-12-26', 'Admin'), (2, 'mel', 'mel@example.org', '2006-02-01', 'Mel'), (3, 'ryan', 'ryan@example.org', '2006-03-09', 'Ryan');
INSERT INTO wp_posts VALUES (1, 1, '2006-01-01', 'Hello world!', 1, 'publish', 'open', 'hello-world', 3), (2, 1, '2006-01-01', 'About', 1, 'static', 'open', 'about', 0), (3, 2, '2006-02-11', 'Winter walks', 2, 'publish', 'open', 'winter-walks', 5), (4, 2, '2006-02-12', 'walk.jpg', 0, 'attachment', 'closed', 'walk-jpg', 0), (5, 3, '2006-04-02', 'Notes', 2, 'draft', 'closed', 'notes', 0), (6, 3, '2006-05-01', 'Contact', 1, 'static', 'closed', 'contact', 1);
INSERT INTO wp_categories VALUES (1, 'Uncategorized', 'uncategorized', '', 0, 1), (2, 'Travel', 'travel', 'On the road', 0, 2), (3, 'Alps', 'alps', 'Mountains', 2, 1);
INSERT INTO wp_post2cat VALUES (1, 1, 1), (2, 3, 2), (3, 3, 3), (4, 5, 2);
INSERT INTO wp_linkcategories VALUES (1, 'Blogroll', 'rand'), (2, 'Friends', 'name');
INSERT INTO wp_links VALUES (1, 'http://example.org/a', 'Alex', 1, 'Y', 0), (2, 'http://example.org/d', 'Donncha', 1, 'Y', 5), (3, 'http://example.org/m', 'Matt', 2, 'N', 9);
INSERT INTO wp_options VALUES (1, 'siteurl', 'Y', 1, 'http://example.org', 20, 8, 'yes'), (2, 'posts_per_page', 'Y', 1, '10', 3, 4, 'yes'), (3, 'links_minadminlevel', 'N', 1, '5', 20, 8, 'no');
