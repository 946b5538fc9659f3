# What an upgrade to 2.3 asks MySQL, table by table
ALTER TABLE wp_posts ADD COLUMN post_type varchar(20) NOT NULL default 'post';
ALTER TABLE wp_posts ADD COLUMN post_mime_type varchar(100) NOT NULL default '' AFTER post_type;
UPDATE wp_posts SET post_type = 'page', post_status = 'publish' WHERE post_status = 'static';
UPDATE wp_posts SET post_type = 'attachment', post_status = 'inherit' WHERE post_status = 'attachment';
CREATE TABLE wp_terms (
 term_id bigint(20) NOT NULL auto_increment,
 name varchar(55) NOT NULL default '',
 slug varchar(200) NOT NULL default '',
 term_group bigint(10) NOT NULL default 0,
 PRIMARY KEY  (term_id),
 UNIQUE KEY slug (slug)
) DEFAULT CHARACTER SET utf8;
INSERT INTO wp_terms (term_id, name, slug, term_group) SELECT cat_ID, cat_name, category_nicename, 0 FROM wp_categories;
CREATE TABLE wp_term_taxonomy (
 term_taxonomy_id bigint(20) NOT NULL auto_increment,
 term_id bigint(20) NOT NULL default 0,
 taxonomy varchar(32) NOT NULL default '',
 description longtext NOT NULL,
 parent bigint(20) NOT NULL default 0,
 count bigint(20) NOT NULL default 0,
 PRIMARY KEY  (term_taxonomy_id),
 UNIQUE KEY term_id_taxonomy (term_id,taxonomy)
) ENGINE=MyISAM;
INSERT INTO wp_term_taxonomy (term_id, taxonomy, description, parent, count) SELECT cat_ID, 'category', category_description, category_parent, category_count FROM wp_categories;
CREATE TABLE `wp_term_relationships` (
 `object_id` bigint(20) unsigned NOT NULL default '0',
 `term_taxonomy_id` bigint(20) unsigned NOT NULL default '0',
 PRIMARY KEY  (`object_id`,`term_taxonomy_id`),
 KEY `term_taxonomy_id` (`term_taxonomy_id`)
);
INSERT IGNORE INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT p.post_id, t.term_taxonomy_id FROM wp_post2cat p JOIN wp_term_taxonomy t ON p.category_id = t.term_id;
DROP TABLE IF EXISTS wp_categories, wp_post2cat;
ALTER TABLE `wp_options` DROP `option_can_override`, DROP `option_type`, DROP `option_width`, DROP `option_admin_level`;
ALTER TABLE wp_users CHANGE COLUMN display_name display_name varchar(250) NOT NULL default '';
RENAME TABLE wp_linkcategories TO wp_link_categories;
