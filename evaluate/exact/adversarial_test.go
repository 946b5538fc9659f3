package exact

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// school is the schema of the adversarial pairs.
func school() *dataset.Database {
	db := &dataset.Database{ID: "school", Tables: []dataset.Table{
		table("student", "id", "name", "city", "age", "grade"),
		table("course", "code", "title", "credits"),
		table("enrol", "student_id", "course_code", "mark"),
	}}
	db.PrimaryKeys = []dataset.ColumnRef{{Table: 0, Column: 0}, {Table: 1, Column: 0}}
	db.ForeignKeys = []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 2, Column: 0}, Target: db.PrimaryKeys[0]}, {Column: dataset.ColumnRef{Table: 2, Column: 1}, Target: db.PrimaryKeys[1]}}
	for t := range db.Tables {
		for c := range db.Tables[t].Columns {
			col := &db.Tables[t].Columns[c]
			col.Type = dataset.Number
			switch col.Original {
			case "name", "city", "title":
				col.Type = dataset.Text
			}
		}
	}
	return db
}

// samePairs are equal by the definition of SQL.
var samePairs = [][2]string{
	{"SELECT name FROM student WHERE age BETWEEN 2 AND 4", "SELECT name FROM student WHERE age >= 2 AND age <= 4"},
	{"SELECT name FROM student WHERE age NOT BETWEEN 2 AND 4", "SELECT name FROM student WHERE age < 2 OR age > 4"},
	{"SELECT name FROM student WHERE NOT (age >= 2 AND 4 >= age)", "SELECT name FROM student WHERE age NOT BETWEEN 2 AND 4"},
	{"SELECT title FROM course WHERE 3 BETWEEN credits AND code", "SELECT title FROM course WHERE credits <= 3 AND code >= 3"},
	{"SELECT name FROM student WHERE city IN ('a', 'b')", "SELECT name FROM student WHERE city = 'a' OR city = 'b'"},
	{"SELECT name FROM student WHERE city NOT IN ('a', 'b')", "SELECT name FROM student WHERE city != 'a' AND NOT city = 'b'"},
	{"SELECT name FROM student WHERE age IN (3)", "SELECT name FROM student WHERE age = 3"},
	{"SELECT name FROM student WHERE age > 1 AND (city = 'a' OR city = 'b' OR city = 'c')", "SELECT name FROM student WHERE city IN ('a', 'b', 'c') AND age > 1"},
	{"SELECT count(*) FROM student", "SELECT count(1) FROM student"},
	{"SELECT city, count(1) FROM student GROUP BY city HAVING count(1) > 1", "SELECT city, count(*) FROM student GROUP BY city HAVING 1 < count(*)"},
	{"SELECT city FROM student WHERE grade <> 2", "SELECT city FROM student WHERE grade != 2"},
	{"SELECT city, count(*) FROM student GROUP BY city HAVING city = 'a'", "SELECT city, count(*) FROM student WHERE city = 'a' GROUP BY city"},
	{"SELECT city, max(age) FROM student GROUP BY city HAVING city != 'a' AND max(age) > 2", "SELECT city, max(age) FROM student WHERE city != 'a' GROUP BY city HAVING max(age) > 2"},
	{"WITH s AS (SELECT * FROM student WHERE age > 2) SELECT name FROM s WHERE grade = 1", "SELECT name FROM student WHERE age > 2 AND grade = 1"},
	{"SELECT d.name FROM (SELECT name, age FROM student WHERE grade = 1) AS d WHERE d.age > 2", "SELECT name FROM student WHERE grade = 1 AND age > 2"},
	{"WITH s AS (SELECT id AS i, name AS n FROM student WHERE age > 2) SELECT s.n, e.mark FROM s JOIN enrol AS e ON e.student_id = s.i", "SELECT name, mark FROM student JOIN enrol ON id = student_id WHERE age > 2"},
	{"SELECT city FROM (SELECT city, count(*) AS n FROM student GROUP BY city) WHERE n > 1", "SELECT city FROM student GROUP BY city HAVING count(*) > 1"},
	{"WITH c AS (SELECT city, count(*) AS n FROM student GROUP BY 1) SELECT * FROM c ORDER BY n DESC, city", "SELECT city, count(*) FROM student GROUP BY city ORDER BY count(*) DESC, city"},
	{"SELECT name FROM (SELECT name FROM student ORDER BY age, id LIMIT 2)", "SELECT name FROM student ORDER BY age, id LIMIT 2"},
	{"WITH s(a, b) AS (SELECT city, age FROM student) SELECT max(b) FROM s WHERE a = 'a'", "SELECT max(age) FROM student WHERE city = 'a'"},
	{"SELECT DISTINCT city FROM student", "SELECT city FROM student GROUP BY city"},
	{"SELECT DISTINCT city, count(*) FROM student GROUP BY city", "SELECT city, count(*) FROM student GROUP BY city"},
	{"SELECT min(DISTINCT age) FROM student", "SELECT min(age) FROM student"},
	{"SELECT name FROM student WHERE id IN (SELECT DISTINCT student_id FROM enrol ORDER BY mark)", "SELECT name FROM student WHERE id IN (SELECT student_id FROM enrol)"},
	{"SELECT DISTINCT city FROM student UNION SELECT title FROM course", "SELECT title FROM course UNION SELECT city FROM student"},
	{"SELECT id, age FROM student UNION SELECT code, credits FROM course", "SELECT credits, code FROM course UNION SELECT age, id FROM student"},
	{"SELECT name FROM student WHERE age + grade > 4", "SELECT name FROM student WHERE grade + age > 4"},
	{"SELECT name FROM student WHERE NOT (city = 'a' OR age < 3)", "SELECT name FROM student WHERE city <> 'a' AND age >= 3"},
	{"SELECT name FROM student, enrol WHERE id = student_id AND mark IN (1, 2)", "SELECT T2.name FROM enrol AS T1 INNER JOIN student AS T2 ON T2.id = T1.student_id AND (T1.mark = 1 OR T1.mark = 2)"},
	{"SELECT count(*) FROM student WHERE age > 2", "SELECT count(id) FROM student WHERE age > 2"},
	{"SELECT city, count(*) FROM student JOIN enrol ON id = student_id GROUP BY city", "SELECT city, count(s.id) FROM student AS s JOIN enrol AS e ON s.id = e.student_id GROUP BY city"},
	{"SELECT count(*) FROM student WHERE city = 'a'", "SELECT count(CASE WHEN city = 'a' THEN 1 END) FROM student"},
	{"SELECT sum(age) FROM student WHERE city = 'a' OR city = 'b'", "SELECT sum(CASE WHEN city IN ('a', 'b') THEN age END) FROM student"},
	{"SELECT avg(age) FROM student WHERE city = 'a' AND grade > 1", "SELECT avg(age) FILTER (WHERE grade > 1) FROM student WHERE city = 'a'"},
	{"SELECT count(DISTINCT name) FROM student WHERE grade = 1", "SELECT count(DISTINCT CASE WHEN grade = 1 THEN name END) FROM student"},
	{"SELECT count(*) FROM student WHERE grade = 1", "SELECT count(*) FILTER (WHERE grade = 1) FROM student"},
	{"SELECT count(*) FROM student WHERE city = 'a' AND age > 2", "SELECT count(CASE WHEN age > 2 THEN 'x' ELSE NULL END) FROM student WHERE city = 'a'"},
	{"SELECT name FROM student WHERE age > 2", "SELECT name FROM student WHERE 1 = 1 AND age > 2"},
	{"SELECT name FROM student", "SELECT name FROM student WHERE 'a' = 'a'"},
	{"SELECT name FROM student WHERE city != 'a'", "SELECT name FROM student WHERE city IS NOT NULL AND city <> 'a'"},
	{"SELECT city, max(age) FROM student GROUP BY city HAVING max(age) > 2", "SELECT city, max(age) FROM student GROUP BY city HAVING max(age) IS NOT NULL AND max(age) > 2"},
	{"SELECT name FROM student WHERE age NOT IN (2, 3)", "SELECT name FROM student WHERE NOT age IN (2, 3) AND age IS NOT NULL"},
	{"SELECT name FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 2)", "SELECT name FROM student AS s WHERE EXISTS (SELECT * FROM enrol AS e WHERE e.student_id = s.id AND e.mark = 2)"},
	{"SELECT name FROM student WHERE age > 1 OR grade IN (SELECT mark FROM enrol)", "SELECT name FROM student WHERE EXISTS (SELECT 1 FROM enrol WHERE grade = mark) OR age > 1"},
	{"SELECT DISTINCT name FROM student WHERE city = 'a' OR age > 2", "SELECT name FROM student WHERE age > 2 UNION SELECT name FROM student WHERE city = 'a'"},
	{"SELECT DISTINCT city, age FROM student WHERE grade IN (1, 2) OR age > 3", "SELECT city, age FROM student WHERE grade = 1 UNION SELECT s.city, s.age FROM student AS s WHERE s.age > 3 UNION SELECT city, age FROM student WHERE grade = 2"},
	{"SELECT DISTINCT name FROM student", "SELECT name FROM student WHERE city = 'a' UNION SELECT name FROM student"},
	{"SELECT name FROM student ORDER BY age ASC, id LIMIT 3", "SELECT s.name FROM student s ORDER BY s.age, s.id ASC LIMIT 3 OFFSET 0"},
	{"SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM enrol WHERE student_id IS NOT NULL)", "SELECT name FROM student AS s WHERE NOT EXISTS (SELECT 1 FROM enrol AS e WHERE e.student_id = s.id)"},
	{"SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM enrol WHERE student_id IS NOT NULL AND mark > 2)", "SELECT s.name FROM student AS s LEFT JOIN enrol AS e ON e.student_id = s.id AND e.mark > 2 WHERE e.student_id IS NULL"},
	{"SELECT name FROM student WHERE id NOT IN (SELECT code FROM course)", "SELECT name FROM student WHERE NOT EXISTS (SELECT * FROM course WHERE code = id)"},
	{"SELECT name FROM student WHERE id NOT IN (SELECT code FROM course) AND age > 2", "SELECT name FROM student LEFT JOIN course ON id = code WHERE code IS NULL AND age > 2"},
	{"SELECT name FROM student WHERE NOT EXISTS (SELECT * FROM enrol WHERE mark = grade)", "SELECT s.name FROM student AS s LEFT JOIN enrol AS e ON s.grade = e.mark WHERE e.mark IS NULL"},
	{"SELECT count(*) FROM student WHERE NOT EXISTS (SELECT DISTINCT mark FROM enrol WHERE mark > grade)", "SELECT count(*) FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE grade < mark)"},
	{"SELECT name FROM student WHERE id IS NOT NULL", "SELECT name FROM student"},
	{"SELECT id FROM student WHERE age > 2 INTERSECT SELECT id FROM student WHERE city = 'a'", "SELECT id FROM student WHERE age > 2 AND city = 'a'"},
	{"SELECT id, name FROM student WHERE age > 2 UNION SELECT id, name FROM student WHERE city = 'a'", "SELECT id, name FROM student WHERE age > 2 OR city = 'a'"},
	{"SELECT DISTINCT id, city FROM student", "SELECT id, city FROM student"},
	{"WITH a AS (SELECT avg(age) AS m FROM student) SELECT name FROM student, a WHERE age > a.m", "SELECT name FROM student WHERE age > (SELECT avg(age) FROM student)"},
	{"SELECT s.name FROM student AS s JOIN (SELECT max(age) AS m FROM student WHERE city = 'a') AS d ON s.age = d.m", "WITH d AS (SELECT max(age) AS m FROM student WHERE city = 'a') SELECT name FROM student WHERE age = (SELECT m FROM d)"},
	{"SELECT city, max(age) FROM student GROUP BY city", "SELECT city, age FROM (SELECT city, age, row_number() OVER (PARTITION BY city ORDER BY age DESC) AS n FROM student) WHERE n = 1"},
	{"SELECT city, max(age) FROM student WHERE grade > 1 GROUP BY city", "WITH r AS (SELECT *, 0 FROM student), d AS (SELECT s.age AS a, s.city AS c, row_number() OVER (PARTITION BY s.city ORDER BY s.age DESC) AS n FROM student AS s WHERE s.grade > 1) SELECT c, a FROM d WHERE d.n = 1"},
	{"SELECT name FROM student ORDER BY age DESC, id LIMIT 1", "SELECT name FROM (SELECT name, row_number() OVER (ORDER BY age DESC, id) AS n FROM student) AS d WHERE d.n = 1"},
	{"SELECT count(*) FROM enrol WHERE student_id IN (SELECT id FROM student WHERE age > 2)", "SELECT count(*) FROM enrol JOIN student ON student_id = id WHERE age > 2"},
	{"SELECT mark FROM enrol WHERE EXISTS (SELECT 1 FROM student WHERE id = student_id AND city = 'a')", "SELECT e.mark FROM student AS s, enrol AS e WHERE s.city = 'a' AND e.student_id = s.id"},
	{"SELECT DISTINCT name FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 2)", "SELECT DISTINCT s.name FROM enrol AS e JOIN student AS s ON s.id = e.student_id WHERE e.mark = 2"},
	{"SELECT DISTINCT name FROM student WHERE EXISTS (SELECT * FROM enrol WHERE mark > grade)", "SELECT DISTINCT name FROM student, enrol WHERE grade < mark"},
	{"SELECT id, name FROM student WHERE id IN (SELECT student_id FROM enrol WHERE course_code IN (SELECT code FROM course WHERE credits = 2))", "SELECT DISTINCT s.id, s.name FROM student AS s JOIN enrol AS e ON e.student_id = s.id JOIN course AS c ON c.code = e.course_code WHERE c.credits = 2"},
	{"SELECT name FROM student WHERE id NOT IN (SELECT code FROM course WHERE credits IN (SELECT mark FROM enrol))", "SELECT name FROM student WHERE id NOT IN (SELECT code FROM course JOIN enrol ON credits = mark)"},
	{"SELECT DISTINCT s.id, e.mark FROM student AS s JOIN enrol AS e ON s.id = e.student_id", "SELECT DISTINCT e.student_id, e.mark FROM enrol AS e WHERE EXISTS (SELECT 1 FROM student AS s WHERE s.id = e.student_id)"},
	{"SELECT DISTINCT e.mark, c.* FROM enrol AS e JOIN course AS c ON e.course_code = c.code", "SELECT DISTINCT e.mark, c.* FROM course AS c JOIN enrol AS e ON e.course_code = c.code"},
	{"SELECT DISTINCT * FROM student", "SELECT * FROM student"},
	{"SELECT id FROM student EXCEPT SELECT student_id FROM enrol", "SELECT s.id FROM student AS s LEFT JOIN enrol AS e ON e.student_id = s.id WHERE e.student_id IS NULL"},
	{"SELECT id FROM student WHERE age > 2 EXCEPT SELECT student_id FROM enrol WHERE mark = 1", "SELECT id FROM student WHERE age > 2 AND NOT EXISTS (SELECT 1 FROM enrol WHERE student_id = id AND mark = 1)"},
	{"SELECT id FROM student INTERSECT SELECT student_id FROM enrol", "SELECT id FROM student WHERE id IN (SELECT student_id FROM enrol)"},
	{"SELECT id FROM student INTERSECT SELECT student_id FROM enrol EXCEPT SELECT code FROM course", "SELECT id FROM student WHERE id IN (SELECT student_id FROM enrol) AND id NOT IN (SELECT code FROM course)"},
	{"SELECT id FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 1) UNION SELECT id FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 2)", "SELECT id FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 1) OR id IN (SELECT student_id FROM enrol WHERE mark = 2)"},
	{"SELECT name, count(*) FROM student JOIN enrol ON id = student_id GROUP BY id", "SELECT name, count(*) FROM student JOIN enrol ON id = student_id GROUP BY id, name"},
	{"SELECT name, count(mark) FROM student LEFT JOIN enrol ON id = student_id GROUP BY name, city, id", "SELECT name, count(mark) FROM student LEFT JOIN enrol ON id = student_id GROUP BY id"},
	{"SELECT city, count(*) FROM student GROUP BY id, city HAVING city = 'a'", "SELECT city, count(*) FROM student WHERE city = 'a' GROUP BY id"},
	{"SELECT name FROM student GROUP BY id", "SELECT name FROM student"},
	{"SELECT e.mark FROM enrol AS e JOIN course AS c ON c.code = e.course_code GROUP BY c.code, e.mark", "SELECT e.mark FROM enrol AS e JOIN course AS c ON c.code = e.course_code GROUP BY e.mark, e.course_code, c.title"},
	{"SELECT id, name FROM student JOIN enrol ON id = student_id GROUP BY id", "SELECT DISTINCT id, name FROM student JOIN enrol ON id = student_id"},
	{"SELECT count(age) FROM student", "SELECT count(*) FROM student WHERE age IS NOT NULL"},
	{"SELECT count(mark) FROM student JOIN enrol ON id = student_id WHERE age > 2", "SELECT count(1) FROM student JOIN enrol ON id = student_id WHERE mark IS NOT NULL AND age > 2"},
	{"SELECT name FROM student WHERE grade IN (SELECT mark FROM enrol WHERE mark > 1)", "SELECT s.name FROM student AS s JOIN (SELECT DISTINCT mark FROM enrol WHERE mark > 1) AS d ON s.grade = d.mark"},
	{"SELECT s.id FROM student AS s JOIN enrol AS e ON s.id = e.student_id WHERE e.mark = 1 INTERSECT SELECT s.id FROM student AS s JOIN enrol AS e ON s.id = e.student_id WHERE e.mark = 2", "SELECT id FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 1) AND id IN (SELECT student_id FROM enrol WHERE mark = 2)"},
	{"SELECT a.name FROM student AS a JOIN student AS b ON a.id = b.id WHERE b.city = 'a' AND a.age > 1", "SELECT name FROM student WHERE city = 'a' AND age > 1"},
	{"SELECT name, city FROM student ORDER BY id DESC LIMIT 1", "SELECT name, city FROM student WHERE id = (SELECT max(id) FROM student)"},
	{"SELECT name FROM student ORDER BY id LIMIT 1", "SELECT name FROM student WHERE id = (SELECT min(id) FROM student)"},
	{"SELECT name FROM student WHERE id = (SELECT max(id) FROM student)", "SELECT name FROM (SELECT name, rank() OVER (ORDER BY id DESC) AS r FROM student) WHERE r = 1"},
	{"SELECT name FROM student WHERE city = 'a' AND id = (SELECT min(id) FROM student WHERE city = 'a')", "WITH d AS (SELECT name, dense_rank() OVER (ORDER BY id) AS r FROM student WHERE city = 'a') SELECT name FROM d WHERE r = 1"},
}

// otherPairs look alike and are not the same.
var otherPairs = [][2]string{
	{"SELECT DISTINCT city FROM student", "SELECT city FROM student"},
	{"SELECT count(DISTINCT city) FROM student", "SELECT count(city) FROM student"},
	{"SELECT name FROM student ORDER BY id LIMIT 5", "SELECT name FROM student ORDER BY id LIMIT 3"},
	{"SELECT name FROM student ORDER BY id LIMIT 3 OFFSET 1", "SELECT name FROM student ORDER BY id LIMIT 3 OFFSET 2"},
	{"SELECT sum(DISTINCT age) FROM student", "SELECT sum(age) FROM student"},
	{"SELECT city, count(DISTINCT grade) FROM student GROUP BY city", "SELECT city, count(grade) FROM student GROUP BY city"},
	{"SELECT count(*) FROM student", "SELECT count(grade) FROM student"},
	{"SELECT count(1) FROM student", "SELECT count(NULL) FROM student"},
	{"SELECT count(*) FROM student", "SELECT count(DISTINCT 1) FROM student"},
	{"SELECT name FROM student WHERE age BETWEEN 2 AND 4", "SELECT name FROM student WHERE age > 2 AND age < 4"},
	{"SELECT name FROM student WHERE age NOT BETWEEN 2 AND 4", "SELECT name FROM student WHERE age < 2 AND age > 4"},
	{"SELECT name FROM student WHERE city IN ('a', 'b')", "SELECT name FROM student WHERE city = 'a' AND city = 'b'"},
	{"SELECT name FROM student WHERE city IN ('a', 'b', 'c')", "SELECT name FROM student WHERE city IN ('a', 'b')"},
	{"SELECT name FROM student WHERE city NOT IN ('a', 'b')", "SELECT name FROM student WHERE city != 'a' OR city != 'b'"},
	{"SELECT name FROM student WHERE age = 3 OR age = 2", "SELECT name FROM student WHERE age = 3"},
	{"SELECT city, count(*) FROM student GROUP BY city HAVING max(age) > 2", "SELECT city, count(*) FROM student WHERE age > 2 GROUP BY city"},
	{"SELECT city, grade, count(*) FROM student GROUP BY city, grade HAVING grade > 1", "SELECT city, grade, count(*) FROM student GROUP BY city, grade HAVING count(*) > 1"},
	{"SELECT name FROM (SELECT name, age FROM student ORDER BY id LIMIT 3) WHERE age > 2", "SELECT name FROM student WHERE age > 2 ORDER BY id LIMIT 3"},
	{"SELECT count(*) FROM (SELECT DISTINCT city FROM student)", "SELECT count(*) FROM student"},
	{"SELECT count(*) FROM (SELECT city FROM student GROUP BY city)", "SELECT count(*) FROM student GROUP BY city"},
	{"WITH s AS (SELECT age FROM student WHERE grade = 1) SELECT a.age FROM s AS a JOIN s AS b ON a.age = b.age", "SELECT age FROM student WHERE grade = 1"},
	{"SELECT name FROM student LEFT JOIN (SELECT * FROM enrol WHERE mark > 1) AS e ON id = e.student_id", "SELECT name FROM student LEFT JOIN enrol ON id = student_id WHERE mark > 1"},
	{"SELECT age FROM (SELECT DISTINCT age, city FROM student)", "SELECT DISTINCT age FROM student"},
	{"SELECT city FROM student UNION ALL SELECT title FROM course", "SELECT city FROM student UNION SELECT title FROM course"},
	{"SELECT DISTINCT city FROM student UNION ALL SELECT title FROM course", "SELECT city FROM student UNION ALL SELECT title FROM course"},
	{"SELECT id, age FROM student UNION SELECT code, credits FROM course", "SELECT id, age FROM student UNION SELECT credits, code FROM course"},
	{"SELECT name FROM student WHERE id IN (SELECT DISTINCT student_id FROM enrol ORDER BY student_id LIMIT 2)", "SELECT name FROM student WHERE id IN (SELECT student_id FROM enrol ORDER BY student_id LIMIT 2)"},
	{"SELECT name FROM student WHERE age - grade > 1", "SELECT name FROM student WHERE grade - age > 1"},
	{"SELECT name FROM student WHERE city IS NOT NULL", "SELECT name FROM student WHERE city IS NULL"},
	{"SELECT city, count(*) FROM student LEFT JOIN course ON id = code GROUP BY city", "SELECT city, count(code) FROM student LEFT JOIN course ON id = code GROUP BY city"},
	{"SELECT count(*) FROM enrol", "SELECT count(mark) FROM enrol"},
	{"SELECT count(*) FROM student WHERE city = 'a'", "SELECT count(CASE WHEN city = 'a' THEN 1 ELSE 0 END) FROM student"},
	{"SELECT sum(age) FROM student WHERE city = 'a'", "SELECT sum(CASE WHEN city = 'a' THEN age ELSE 0 END) FROM student"},
	{"SELECT avg(age) FROM student WHERE city = 'a'", "SELECT avg(CASE WHEN city = 'a' THEN age WHEN grade = 1 THEN age END) FROM student"},
	{"SELECT sum(age) FROM student WHERE city = 'a'", "SELECT sum(age) FILTER (WHERE city = 'a') + 1 FROM student"},
	{"SELECT city, count(*) FROM student WHERE age > 2 GROUP BY city", "SELECT city, count(CASE WHEN age > 2 THEN 1 END) FROM student GROUP BY city"},
	{"SELECT name FROM student WHERE city != 'a' OR age > 3", "SELECT name FROM student WHERE city IS NOT NULL AND (city != 'a' OR age > 3)"},
	{"SELECT name FROM student WHERE city IS NOT 'a'", "SELECT name FROM student WHERE city IS NOT 'a' AND city IS NOT NULL"},
	{"SELECT name FROM student WHERE 1 = 1 AND age > 2", "SELECT name FROM student WHERE 1 = 2 AND age > 2"},
	{"SELECT name FROM student WHERE grade NOT IN (SELECT mark FROM enrol)", "SELECT name FROM student WHERE NOT EXISTS (SELECT * FROM enrol WHERE mark = grade)"},
	{"SELECT grade IN (SELECT mark FROM enrol) FROM student", "SELECT EXISTS (SELECT * FROM enrol WHERE mark = grade) FROM student"},
	{"SELECT name FROM student WHERE EXISTS (SELECT * FROM enrol WHERE student_id = id)", "SELECT name FROM student WHERE EXISTS (SELECT * FROM enrol WHERE student_id > id)"},
	{"SELECT name FROM student WHERE city = 'a' OR age > 2", "SELECT name FROM student WHERE age > 2 UNION ALL SELECT name FROM student WHERE city = 'a'"},
	{"SELECT name FROM student WHERE city = 'a' OR age > 2", "SELECT name FROM student WHERE age > 2 UNION SELECT name FROM student WHERE city = 'a'"},
	{"SELECT DISTINCT name FROM student WHERE city = 'a' AND age > 2", "SELECT name FROM student WHERE age > 2 UNION SELECT name FROM student WHERE city = 'a'"},
	{"SELECT max(age) FROM student WHERE city = 'a' OR grade = 1", "SELECT max(age) FROM student WHERE city = 'a' UNION SELECT max(age) FROM student WHERE grade = 1"},
	{"SELECT name FROM student JOIN enrol ON id = student_id", "SELECT name FROM student LEFT JOIN enrol ON id = student_id"},
	{"SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM enrol)", "SELECT name FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE student_id = id)"},
	{"SELECT name FROM student WHERE grade NOT IN (SELECT mark FROM enrol WHERE mark IS NOT NULL)", "SELECT name FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE mark = grade)"},
	{"SELECT name FROM student LEFT JOIN enrol ON id = student_id WHERE mark IS NULL", "SELECT name FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE id = student_id)"},
	{"SELECT name FROM student LEFT JOIN enrol ON id = student_id WHERE course_code IS NULL", "SELECT name FROM student LEFT JOIN enrol ON id = student_id WHERE student_id IS NULL"},
	{"SELECT name, count(mark) FROM student LEFT JOIN enrol ON id = student_id WHERE student_id IS NULL", "SELECT name, count(*) FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE id = student_id)"},
	{"SELECT name FROM student LEFT JOIN course ON id = code WHERE code IS NOT NULL", "SELECT name FROM student LEFT JOIN course ON id = code"},
	{"SELECT count(*) FROM student LEFT JOIN course ON id = code WHERE id IS NOT NULL AND code IS NOT NULL", "SELECT count(*) FROM student LEFT JOIN course ON id = code WHERE id IS NOT NULL"},
	{"SELECT count(*) FROM student WHERE age > 90 HAVING id IS NOT NULL", "SELECT count(*) FROM student WHERE age > 90"},
	{"SELECT name FROM student WHERE age > 2 INTERSECT SELECT name FROM student WHERE city = 'a'", "SELECT DISTINCT name FROM student WHERE age > 2 AND city = 'a'"},
	{"SELECT student_id FROM enrol WHERE mark = 2 INTERSECT SELECT student_id FROM enrol WHERE mark = 3", "SELECT student_id FROM enrol WHERE mark = 2 AND mark = 3"},
	{"SELECT id FROM student WHERE age > 2 EXCEPT SELECT id FROM student WHERE city = 'a'", "SELECT id FROM student WHERE age > 2 AND NOT city = 'a'"},
	{"SELECT DISTINCT id FROM student JOIN enrol ON id = student_id", "SELECT id FROM student JOIN enrol ON id = student_id"},
	{"SELECT name FROM student, (SELECT avg(age) AS m FROM student GROUP BY city) AS a WHERE age > a.m", "SELECT name FROM student WHERE age > (SELECT avg(age) FROM student GROUP BY city)"},
	{"SELECT name FROM student, (SELECT avg(age) AS m FROM student HAVING count(*) > 4) AS a WHERE age IS NOT a.m", "SELECT name FROM student WHERE age IS NOT (SELECT avg(age) FROM student HAVING count(*) > 4)"},
	{"SELECT name FROM student, (SELECT sum(age) OVER (ORDER BY id) AS m FROM student) AS a WHERE grade < a.m", "SELECT name FROM student WHERE grade < (SELECT sum(age) OVER (ORDER BY id) FROM student)"},
	{"SELECT count(*) FROM student WHERE age > 90 HAVING id NOT IN (SELECT code FROM course WHERE code IS NOT NULL)", "SELECT count(*) FROM student WHERE age > 90 HAVING NOT EXISTS (SELECT 1 FROM course WHERE code = id)"},
	{"SELECT name, rank() OVER (ORDER BY grade) FROM student", "SELECT name, rank() OVER (ORDER BY grade NULLS LAST) FROM student"},
	{"SELECT city, min(age) FROM student GROUP BY city", "SELECT city, age FROM (SELECT city, age, row_number() OVER (PARTITION BY city ORDER BY age) AS n FROM student) WHERE n = 1"},
	{"SELECT city, max(age) FROM student GROUP BY city", "SELECT city, age FROM (SELECT city, age, row_number() OVER (PARTITION BY city ORDER BY age DESC) AS n FROM student) WHERE n = 2"},
	{"SELECT city, max(grade) FROM student GROUP BY city", "SELECT city, grade FROM (SELECT city, grade, row_number() OVER (PARTITION BY city ORDER BY age DESC, id) AS n FROM student) WHERE n = 1"},
	{"SELECT city, max(age) FROM student GROUP BY city", "SELECT city, age FROM (SELECT city, age, rank() OVER (PARTITION BY city ORDER BY age DESC) AS n FROM student) WHERE n = 1"},
	{"SELECT max(age) FROM student", "SELECT age FROM (SELECT age, row_number() OVER (ORDER BY age DESC) AS n FROM student WHERE age > 9) WHERE n = 1"},
	{"SELECT count(*) FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark > 2)", "SELECT count(*) FROM student JOIN enrol ON student_id = id WHERE mark > 2"},
	{"SELECT name FROM student WHERE EXISTS (SELECT 1 FROM enrol WHERE student_id = id)", "SELECT name FROM student JOIN enrol ON student_id = id"},
	{"SELECT name FROM student WHERE id IN (SELECT student_id FROM enrol)", "SELECT DISTINCT name FROM student JOIN enrol ON student_id = id"},
	{"SELECT * FROM enrol WHERE student_id IN (SELECT id FROM student)", "SELECT * FROM enrol JOIN student ON id = student_id"},
	{"SELECT mark FROM enrol WHERE student_id IN (SELECT id FROM student) OR mark > 2", "SELECT mark FROM enrol JOIN student ON student_id = id OR mark > 2"},
	{"SELECT name FROM student WHERE id IN (SELECT student_id FROM enrol ORDER BY student_id LIMIT 2)", "SELECT name FROM student WHERE id IN (SELECT student_id FROM enrol)"},
	{"SELECT DISTINCT name FROM student LEFT JOIN course ON grade = credits WHERE id IN (SELECT student_id FROM enrol)", "SELECT DISTINCT name FROM student JOIN course ON grade = credits JOIN enrol ON id = student_id"},
	{"SELECT DISTINCT name FROM student WHERE id IN (SELECT student_id FROM enrol WHERE mark = 2) AND id IN (SELECT student_id FROM enrol WHERE mark = 3)", "SELECT DISTINCT name FROM student JOIN enrol ON id = student_id WHERE mark = 2 AND mark = 3"},
	{"SELECT name FROM student WHERE grade IN (SELECT mark FROM enrol)", "SELECT name FROM student JOIN (SELECT DISTINCT mark, course_code FROM enrol) AS d ON grade = d.mark"},
	{"SELECT name FROM student JOIN (SELECT DISTINCT mark FROM enrol) AS d ON grade = d.mark", "SELECT name FROM student JOIN (SELECT mark FROM enrol) AS d ON grade = d.mark"},
	{"SELECT name FROM student JOIN (SELECT DISTINCT mark FROM enrol) AS d ON grade < d.mark", "SELECT name FROM student WHERE grade IN (SELECT mark FROM enrol)"},
	{"SELECT DISTINCT name, code FROM student, course", "SELECT name, code FROM student, course"},
	{"SELECT age FROM student EXCEPT SELECT mark FROM enrol", "SELECT DISTINCT age FROM student WHERE NOT EXISTS (SELECT 1 FROM enrol WHERE mark = age)"},
	{"SELECT age FROM student INTERSECT SELECT mark FROM enrol", "SELECT DISTINCT age FROM student JOIN enrol ON mark = age"},
	{"SELECT id FROM student EXCEPT SELECT student_id FROM enrol", "SELECT id FROM student WHERE id NOT IN (SELECT student_id FROM enrol)"},
	{"SELECT id FROM student LEFT JOIN enrol ON id = student_id EXCEPT SELECT code FROM course", "SELECT id FROM student LEFT JOIN enrol ON id = student_id WHERE NOT EXISTS (SELECT 1 FROM course WHERE code = id)"},
	{"SELECT id FROM student UNION SELECT code FROM course EXCEPT SELECT student_id FROM enrol", "SELECT id FROM student UNION SELECT code FROM course WHERE code NOT IN (SELECT student_id FROM enrol WHERE student_id IS NOT NULL)"},
	{"SELECT a.name FROM student AS a JOIN student AS b ON a.age = b.age WHERE b.city = 'a'", "SELECT name FROM student WHERE city = 'a'"},
	{"SELECT a.mark FROM enrol AS a JOIN enrol AS b ON a.student_id = b.student_id WHERE b.mark = 2", "SELECT mark FROM enrol WHERE mark = 2"},
	{"SELECT name, count(*) FROM student GROUP BY name", "SELECT name, count(*) FROM student GROUP BY name, id"},
	{"SELECT mark, count(*) FROM enrol GROUP BY student_id, mark", "SELECT mark, count(*) FROM enrol GROUP BY student_id"},
	{"SELECT name FROM student JOIN enrol ON id = student_id GROUP BY id", "SELECT name FROM student JOIN enrol ON id = student_id"},
	{"SELECT city, count(*) FROM student LEFT JOIN course ON grade = code GROUP BY code, city", "SELECT city, count(*) FROM student LEFT JOIN course ON grade = code GROUP BY code"},
	{"SELECT count(*) FROM student WHERE age IS NOT NULL", "SELECT count(grade) FROM student WHERE age IS NULL"},
	{"SELECT count(*) FROM student WHERE age IS NOT NULL", "SELECT count(grade) FROM student"},
	{"SELECT count(age) FROM student WHERE age IS NOT NULL AND grade IS NOT NULL", "SELECT count(age) FROM student"},
	{"SELECT name FROM student ORDER BY age DESC LIMIT 1", "SELECT name FROM student WHERE age = (SELECT max(age) FROM student)"},
	{"SELECT name FROM student ORDER BY id DESC LIMIT 1", "SELECT name FROM student ORDER BY id DESC LIMIT 1 OFFSET 1"},
	{"SELECT name FROM student WHERE city = 'a' ORDER BY id DESC LIMIT 1", "SELECT name FROM student WHERE id = (SELECT max(id) FROM student)"},
	{"SELECT name FROM student WHERE age = (SELECT max(age) FROM student)", "SELECT name FROM (SELECT name, rank() OVER (ORDER BY age DESC) AS r FROM student) WHERE r = 1"},
	{"SELECT name FROM student WHERE id = (SELECT max(id) FROM student)", "SELECT name FROM (SELECT name, rank() OVER (PARTITION BY city ORDER BY id DESC) AS r FROM student) WHERE r = 1"},
	{"SELECT name FROM (SELECT name, rank() OVER (ORDER BY id DESC) AS r FROM student) WHERE r = 1", "SELECT name FROM (SELECT name, rank() OVER (ORDER BY id) AS r FROM student) WHERE r = 1"},
}

// Strict mode says of all pairs what execution on random databases says of them: those
// that are the same never differ, the others do on some.
func TestStrictAdversarial(t *testing.T) {
	db := school()
	s := NewSchema(db)
	contents := newContents(t, db)
	right := 0
	for i, pairs := range [][][2]string{samePairs, otherPairs} {
		for _, p := range pairs {
			same := i == 0
			if n := contents.differ(t, p); same != (n == 0) {
				t.Errorf("same %v, but %d of %d databases tell them apart:\n%s\n%s", same, n, len(contents.rows), p[0], p[1])
			}
			there, back := s.Gold(p[0]).Judge(p[1], true).Match, s.Gold(p[1]).Judge(p[0], true).Match
			if there == same && back == same {
				right++
				continue
			}
			t.Errorf("match %v, with the sides exchanged %v, expected %v:\n%s\n%s", there, back, same, p[0], p[1])
		}
	}
	t.Logf("strict exact is right on %d of %d pairs", right, len(samePairs)+len(otherPairs))
}

// contents are random contents of a schema, with few values, repeated rows and NULL.
type contents struct {
	scratch *sqlite.Scratch
	rows    [][][][]sqldata.Value
}

func newContents(t *testing.T, db *dataset.Database) *contents {
	scratch, err := sqlite.NewScratch(sqlite.NewLayout(dataset.SQLiteTables(db)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { scratch.Close() })
	c := &contents{scratch: scratch}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		var rows [][][]sqldata.Value
		for t := range db.Tables {
			rows = append(rows, randomRows(rng, &db.Tables[t]))
		}
		c.rows = append(c.rows, rows)
	}
	return c
}

func randomRows(rng *rand.Rand, t *dataset.Table) (rows [][]sqldata.Value) {
	for n := range 1 + rng.IntN(12) {
		var row []sqldata.Value
		for i, c := range t.Columns {
			v := sqldata.NewInt(int64(rng.IntN(6)))
			switch {
			case i == 0 && c.Original != "student_id":
				v = sqldata.NewInt(int64(n)) // a key
			case rng.IntN(8) == 0:
				v = sqldata.Value{}
			case c.Type == dataset.Text:
				v = sqldata.NewText(string(rune('a' + rng.IntN(4))))
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// differ returns on how many databases two queries answer differently.
func (c *contents) differ(t *testing.T, pair [2]string) (n int) {
	t.Helper()
	var runs [2]*sqlite.Prepared
	for i, sql := range pair {
		run, err := c.scratch.Prepare(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer run.Close()
		runs[i] = run
	}
	q, err := sqlast.Parse(pair[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range c.rows {
		if err := c.scratch.Load(rows); err != nil {
			t.Fatal(err)
		}
		var answers [2]*sqldata.Result
		for i, run := range runs {
			if answers[i], err = run.Run(sqlite.Budget{Steps: 1_000_000, Rows: 10_000}, nil); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", pair[i], err))
			}
		}
		if !execution.Equal(answers[0], answers[1], len(q.OrderBy) > 0) {
			n++
		}
	}
	return n
}
