CREATE TABLE customers (
    cust_id INTEGER PRIMARY KEY,
    cust_name TEXT NOT NULL,
    email TEXT,
    phone TEXT,
    city TEXT,
    country TEXT,
    signup_date DATE
);
CREATE TABLE products (
    product_id INTEGER PRIMARY KEY,
    product_name TEXT NOT NULL,
    category TEXT,
    color TEXT,
    unit_price REAL,
    weight_g INTEGER,
    stock_qty INTEGER
);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    cust_id INTEGER NOT NULL REFERENCES customers (cust_id),
    order_date DATE,
    status TEXT,
    payment_method TEXT
);
CREATE TABLE order_lines (
    line_id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders (order_id),
    product_id INTEGER NOT NULL REFERENCES products (product_id),
    quantity INTEGER,
    discount_pct INTEGER
);
CREATE TABLE reviews (
    review_id INTEGER PRIMARY KEY,
    product_id INTEGER NOT NULL REFERENCES products (product_id),
    cust_id INTEGER NOT NULL REFERENCES customers (cust_id),
    rating INTEGER,
    review_date DATE
);
INSERT INTO customers VALUES
(1,'Maya Lindgren','maya.l@example.com','070-555-0111','Gothenburg','Sweden','2020-02-11'),
(2,'Piotr Zielinski','p.zielinski@example.org','048-555-0132','Krakow','Poland','2020-06-03'),
(3,'Amelie Laurent','amelie@example.fr','033-555-0147','Lyon','France','2020-09-27'),
(4,'Oskar Blom','oskar.blom@example.com','070-555-0158','Uppsala','Sweden','2021-01-15'),
(5,'Chiara Conti','c.conti@example.it','039-555-0163','Turin','Italy','2021-03-08'),
(6,'Hugo Moreau','hugo.m@example.fr','033-555-0171','Nantes','France','2021-03-30'),
(7,'Greta Halme','greta@example.fi','358-555-0184','Tampere','Finland','2021-07-19'),
(8,'Jakub Nowak','jakub.nowak@example.org','048-555-0196','Gdansk','Poland','2021-10-02'),
(9,'Elin Sandberg','elin.s@example.com','070-555-0203','Gothenburg','Sweden','2021-12-24'),
(10,'Louis Bernard','louis.b@example.fr','033-555-0215','Lyon','France','2022-02-14'),
(11,'Marco Ricci','marco.ricci@example.it','039-555-0228','Genoa','Italy','2022-04-01'),
(12,'Aino Korpi','aino.k@example.fi','358-555-0237','Oulu','Finland','2022-05-21'),
(13,'Zofia Wrona','zofia.w@example.org','048-555-0249','Krakow','Poland','2022-08-09'),
(14,'Nils Ekman','nils.ekman@example.com','070-555-0252','Malmo','Sweden','2022-11-11'),
(15,'Paola Greco','paola.greco@example.it','039-555-0266','Turin','Italy','2023-01-07'),
(16,'Emil Sjoberg','emil.s@example.com','070-555-0274','Uppsala','Sweden','2023-03-18');
INSERT INTO products VALUES
(1,'Moon Lantern','Lantern','White',24.5,310,42),
(2,'River Lantern','Lantern','Blue',19.0,220,65),
(3,'Maple Lantern','Lantern','Red',27.0,340,18),
(4,'Garden Torch','Outdoor','Black',32.0,1250,27),
(5,'Solar Path Light','Outdoor','Silver',14.5,480,120),
(6,'Beeswax Candle','Candle','Yellow',9.0,260,210),
(7,'Tall Taper Pair','Candle','White',11.5,190,154),
(8,'Floating Tealights','Candle','White',6.5,140,330),
(9,'Desk Lamp Arc','Lamp','Black',58.0,1820,15),
(10,'Bedside Globe','Lamp','White',44.0,1340,23),
(11,'Reading Clip','Lamp','Silver',21.0,280,76),
(12,'Fairy String 5 m','String Light','Gold',12.0,160,98),
(13,'Fairy String 10 m','String Light','Gold',18.5,290,51),
(14,'Festival Garland','String Light','Red',29.5,620,12),
(15,'Storm Lantern','Lantern','Black',39.0,1480,9),
(16,'Wick Trimmer','Accessory','Silver',7.5,85,64),
(17,'Brass Snuffer','Accessory','Gold',13.5,130,0);
INSERT INTO orders VALUES
(1,1,'2022-09-02','Delivered','Card'),
(2,3,'2022-09-14','Delivered','Invoice'),
(3,2,'2022-10-01','Delivered','Card'),
(4,5,'2022-10-19','Returned','Card'),
(5,1,'2022-11-05','Delivered','Card'),
(6,4,'2022-11-23','Delivered','Wallet'),
(7,6,'2022-12-01','Delivered','Card'),
(8,7,'2022-12-08','Delivered','Wallet'),
(9,9,'2022-12-12','Cancelled','Card'),
(10,10,'2022-12-15','Delivered','Invoice'),
(11,1,'2023-01-20','Delivered','Card'),
(12,11,'2023-02-03','Returned','Wallet'),
(13,8,'2023-02-17','Delivered','Card'),
(14,3,'2023-03-06','Delivered','Invoice'),
(15,12,'2023-03-22','Delivered','Wallet'),
(16,13,'2023-04-10','Delivered','Card'),
(17,4,'2023-04-28','Shipped','Wallet'),
(18,15,'2023-05-05','Shipped','Card'),
(19,9,'2023-05-16','Shipped','Card'),
(20,2,'2023-05-30','Pending','Invoice');
INSERT INTO order_lines VALUES
(1,1,1,2,0),(2,1,6,6,10),(3,2,9,1,0),(4,2,11,1,0),(5,3,5,8,15),
(6,3,12,2,0),(7,4,10,1,0),(8,5,2,3,5),(9,5,8,4,0),(10,6,15,1,0),
(11,6,6,2,0),(12,7,13,3,10),(13,7,14,1,0),(14,8,12,4,5),(15,8,8,10,20),
(16,9,3,1,0),(17,10,4,2,0),(18,10,5,4,5),(19,11,7,2,0),(20,11,16,1,0),
(21,12,9,1,10),(22,13,1,1,0),(23,13,2,1,0),(24,14,10,2,5),(25,14,6,12,20),
(26,15,12,1,0),(27,15,8,6,10),(28,16,11,3,0),(29,16,13,1,0),(30,17,5,5,10),
(31,18,3,2,0),(32,18,14,1,5),(33,19,1,1,0),(34,19,8,3,0),(35,20,4,1,0);
INSERT INTO reviews VALUES
(1,1,1,5,'2022-09-20'),(2,6,1,4,'2022-09-21'),(3,9,3,2,'2022-10-02'),(4,5,2,4,'2022-10-15'),
(5,12,2,5,'2022-10-16'),(6,10,5,1,'2022-10-30'),(7,2,1,5,'2022-11-19'),(8,15,4,4,'2022-12-06'),
(9,13,6,3,'2022-12-20'),(10,14,6,5,'2022-12-20'),(11,12,7,4,'2022-12-29'),(12,8,7,5,'2022-12-30'),
(13,4,10,3,'2023-01-04'),(14,9,11,1,'2023-02-18'),(15,1,8,4,'2023-03-02'),(16,10,3,4,'2023-03-21'),
(17,6,3,5,'2023-03-21'),(18,8,12,3,'2023-04-07'),(19,11,13,4,'2023-04-25'),(20,13,13,2,'2023-04-26');
