/* Flyway, in MySQL's words */
alter table accounts add parent_account_id varchar(36) default null;
alter table accounts add is_payment_delegated_to_parent boolean default false;
alter table accounts add notes varchar(4096) DEFAULT NULL;
alter table accounts drop column is_notified_for_invoices;
alter table account_history drop column is_notified_for_invoices;
alter table catalog_override_block_definition change `size` `bsize` decimal(15,9) NOT NULL;
alter table rolled_up_usage modify amount decimal(18, 9) not null;
alter table catalog_override_block_definition modify max decimal(18, 9) null;
create index accounts_parents on accounts(parent_account_id);
