-- A forge whose issues have one assignee, as Gitea 1.3 had it.
CREATE TABLE `user` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `lower_name` TEXT NOT NULL, `name` TEXT NOT NULL, `full_name` TEXT NULL, `email` TEXT NOT NULL, `type` INTEGER NULL, `is_admin` INTEGER NULL, `num_repos` INTEGER NULL);
CREATE TABLE `repository` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `owner_id` INTEGER NULL REFERENCES `user` (`id`), `name` TEXT NOT NULL, `is_private` INTEGER NULL, `is_bare` INTEGER NULL, `num_stars` INTEGER NULL, `num_forks` INTEGER NULL, `website` TEXT NULL);
CREATE TABLE `milestone` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `repo_id` INTEGER NULL REFERENCES `repository` (`id`), `name` TEXT NULL, `is_closed` INTEGER NULL, `num_issues` INTEGER NULL, `num_closed_issues` INTEGER NULL);
CREATE TABLE `issue` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `repo_id` INTEGER NULL REFERENCES `repository` (`id`), `index` INTEGER NULL, `poster_id` INTEGER NULL REFERENCES `user` (`id`), `name` TEXT NULL, `milestone_id` INTEGER NULL REFERENCES `milestone` (`id`), `assignee_id` INTEGER NULL REFERENCES `user` (`id`), `is_closed` INTEGER NULL, `num_comments` INTEGER NULL);
CREATE TABLE `webhook` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `repo_id` INTEGER NULL REFERENCES `repository` (`id`), `url` TEXT NULL, `hook_task_type` INTEGER NULL, `is_active` INTEGER NULL, `is_ssl` INTEGER NULL);
CREATE TABLE `deleted_branch` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `repo_id` INTEGER NOT NULL REFERENCES `repository` (`id`), `name` TEXT NOT NULL, `commit` TEXT NOT NULL, `deleted_by_id` INTEGER NULL REFERENCES `user` (`id`));
CREATE TABLE `u2f_registration` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `name` TEXT NULL, `user_id` INTEGER NULL REFERENCES `user` (`id`), `counter` INTEGER NULL);
INSERT INTO `user` VALUES (1, 'gitadmin', 'gitadmin', 'Admin', 'admin@example.com', 0, 1, 1), (2, 'alice', 'Alice', 'Alice A', 'alice@example.com', 0, 0, 2), (3, 'acme', 'acme', 'Acme Inc', '', 1, 0, 1);
INSERT INTO `repository` VALUES (1, 2, 'tools', 0, 0, 12, 3, ''), (2, 2, 'notes', 1, 1, 0, 0, ''), (3, 3, 'site', 0, 0, 5, 1, 'https://acme.example'), (4, 1, 'infra', 1, 0, 1, 0, '');
INSERT INTO `milestone` VALUES (1, 1, 'v1.0', 0, 2, 1), (2, 1, 'v1.1', 0, 1, 0);
INSERT INTO `issue` VALUES (1, 1, 1, 1, 'Panic on start', 1, 2, 0, 4), (2, 1, 2, 2, 'Typo', 1, 0, 1, 0), (3, 3, 1, 2, 'Broken link', 0, 1, 1, 2), (4, 1, 3, 3, 'Add flag', 2, 2, 1, 1), (5, 3, 2, 1, 'New logo', 0, 0, 0, 7);
INSERT INTO `webhook` VALUES (1, 1, 'https://ci.example/hook', 1, 1, 1), (2, 3, 'https://chat.example/in', 2, 1, 0), (3, 1, 'https://old.example', 1, 0, 1);
INSERT INTO `deleted_branch` VALUES (1, 1, 'fix-panic', 'ab12', 2), (2, 3, 'logo', 'cd34', 1);
INSERT INTO `u2f_registration` VALUES (1, 'YubiKey', 1, 17), (2, 'Blue Key', 2, 4);
