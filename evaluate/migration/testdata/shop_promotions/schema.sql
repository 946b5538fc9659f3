-- A shop on Rails before its promotions got their name, as Spree 2.0 had it.
CREATE TABLE spree_activators (id INTEGER PRIMARY KEY, description TEXT, name TEXT, event_name TEXT, code TEXT, usage_limit INTEGER, expires_at TEXT);
CREATE TABLE spree_promotion_rules (id INTEGER PRIMARY KEY, activator_id INTEGER REFERENCES spree_activators (id), type TEXT);
CREATE TABLE spree_credit_cards (id INTEGER PRIMARY KEY, month TEXT, year TEXT, cc_type TEXT, first_name TEXT, last_name TEXT);
CREATE TABLE spree_products (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC, count_on_hand INTEGER);
CREATE TABLE spree_orders (id INTEGER PRIMARY KEY, number TEXT, item_total NUMERIC, state TEXT);
CREATE TABLE spree_adjustments (id INTEGER PRIMARY KEY, amount NUMERIC, label TEXT, adjustable_id INTEGER, adjustable_type TEXT, originator_id INTEGER, originator_type TEXT, state TEXT);
CREATE TABLE shipping_methods_zones (shipping_method_id INTEGER, zone_id INTEGER);
CREATE INDEX index_products_on_hand ON spree_products (count_on_hand);
INSERT INTO spree_activators VALUES (1, 'ten percent', 'Spring', 'order.created', 'SPRING', 100, '2014-06-01'), (2, 'free mug', 'Mugs', 'order.paid', 'MUG', 5, '2014-03-01'), (3, 'for friends', 'Friends', 'order.created', NULL, NULL, NULL);
INSERT INTO spree_promotion_rules VALUES (1, 1, 'ItemTotal'), (2, 1, 'FirstOrder'), (3, 2, 'Product');
INSERT INTO spree_credit_cards VALUES (1, '04', '2015', 'visa', 'Ada', 'Lovelace'), (2, '11', '2014', 'master', 'Alan', 'Turing'), (3, '01', '2016', 'visa', 'Grace', 'Hopper');
INSERT INTO spree_products VALUES (1, 'Mug', 9.5, 12), (2, 'Bag', 22, 0), (3, 'Shirt', 19.99, 40);
INSERT INTO spree_orders VALUES (1, 'R1', 31.5, 'complete'), (2, 'R2', 9.5, 'cart'), (3, 'R3', 60, 'complete');
INSERT INTO spree_adjustments VALUES (1, 5, 'Shipping', 1, 'Order', 7, 'ShippingMethod', 'open'), (2, -3.15, 'Spring', 1, 'Order', 1, 'PromotionAction', 'closed'), (3, 1.2, 'Tax', 3, 'Order', 4, 'TaxRate', 'open'), (4, 2, 'Gift', 9, 'LineItem', 1, 'Gift', 'open');
INSERT INTO shipping_methods_zones VALUES (1, 1), (1, 2), (2, 1);
