// Package questions makes the weights of the model of questions from the training
// questions of Spider (those of one database and one gold SQL paraphrase each
// other) and of Spider-Syn. What asks something else are questions of one
// database with other SQL, and questions in which one thing was changed: a number,
// a value, a comparison, a direction, a column, a condition.
//
// [Train] is deterministic: the same sources and options give the same bytes.
package questions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/tools/train/source"
)

// Sources are the files of one split. Paths that end in .gz are inflated.
type Sources struct {
	Spider    string // questions and gold SQL: JSON or JSON lines
	SpiderSyn string // JSON array of SpiderQuestion, SpiderSynQuestion, db_id, query
	Tables    string // tables.json
	Written   string // lines of db_id, question, 1 or 0, kind, question: whether both ask the same; "" for none
}

// corpus is what the sources hold, by database in the order of the questions.
type corpus struct {
	databases []*database
	synonyms  map[string]string // a question with its Spider-Syn form
}

// database is a database with the questions about it.
type database struct {
	id       string
	schema   *dataset.Database
	examples []example
	values   []string // quoted in some question
}

// example is a question with its gold SQL.
type example struct {
	question, query string
	same            int // number of its group of equal queries
}

// read reads the sources.
func read(src Sources) (*corpus, error) {
	schemas, err := readTables(src.Tables)
	if err != nil {
		return nil, err
	}
	c := &corpus{synonyms: make(map[string]string)}
	index := make(map[string]*database)
	err = withFile(src.Spider, func(r io.Reader) error {
		var bad error
		err := dataset.DecodeExamples(r, src.Spider, func(err error) { bad = errors.Join(bad, err) }, func(ex *dataset.Example) error {
			db := index[ex.DB]
			if db == nil {
				db = &database{id: ex.DB, schema: schemas[ex.DB]}
				if db.schema == nil {
					return fmt.Errorf("%s:%d: database %q, expected one of %s", src.Spider, ex.Index+1, ex.DB, src.Tables)
				}
				index[ex.DB] = db
				c.databases = append(c.databases, db)
			}
			db.examples = append(db.examples, example{question: ex.Question, query: ex.Query})
			return nil
		})
		return errors.Join(bad, err)
	})
	if err != nil {
		return nil, err
	}
	for _, db := range c.databases {
		db.group()
	}
	return c, c.readSynonyms(src.SpiderSyn)
}

// readTables reads the schemas of a tables.json by db_id.
func readTables(path string) (map[string]*dataset.Database, error) {
	out := make(map[string]*dataset.Database)
	err := withFile(path, func(r io.Reader) error {
		return dataset.DecodeTables(r, path, func(error) {}, func(db *dataset.Database) error {
			out[db.ID] = db
			return nil
		})
	})
	return out, err
}

// readSynonyms reads the questions of Spider-Syn.
func (c *corpus) readSynonyms(path string) error {
	return withFile(path, func(r io.Reader) error {
		var records []struct {
			DB                                string `json:"db_id"`
			SpiderQuestion, SpiderSynQuestion string
		}
		if err := json.NewDecoder(r).Decode(&records); err != nil {
			return fmt.Errorf("%s: %w, expected an array of Spider-Syn records", path, err)
		}
		for _, x := range records {
			c.synonyms[x.DB+"\n"+x.SpiderQuestion] = x.SpiderSynQuestion
		}
		return nil
	})
}

// synonym returns the Spider-Syn form of a question; ok is false if it has none that differs.
func (c *corpus) synonym(db *database, question string) (form string, ok bool) {
	s, ok := c.synonyms[db.id+"\n"+question]
	return s, ok && s != question
}

// withFile opens a file, which may be gzip, and closes it after use.
func withFile(path string, use func(io.Reader) error) error {
	r, err := source.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	return use(r)
}

var (
	constants = regexp.MustCompile(`'[^']*'|"[^"]*"|\b\d+(\.\d+)?\b`)
	quotation = regexp.MustCompile(`\B"[^"]{2,40}"\B|\B'[^' ][^']{1,38}'\B`)
)

// constantsOf returns the literals of a query, sorted, without quotes and case.
func constantsOf(query string) []string {
	found := constants.FindAllString(strings.ToLower(query), -1)
	for i, c := range found {
		found[i] = strings.Trim(c, `"'% `)
	}
	slices.Sort(found)
	return found
}

// group sets for each example the number of its group of equal queries: queries with the same text, or the same constants and
// an exact set match. It also collects the quoted values of the questions.
func (db *database) group() {
	schema := exact.NewSchema(db.schema)
	type group struct {
		gold      *exact.Gold
		constants []string
		query     string
	}
	var groups []group
	for i := range db.examples {
		ex := &db.examples[i]
		ex.same = -1
		own := constantsOf(ex.query)
		for g, other := range groups {
			if strings.EqualFold(other.query, ex.query) || slices.Equal(own, other.constants) && other.gold.Judge(ex.query, false).Match {
				ex.same = g
				break
			}
		}
		if ex.same < 0 {
			ex.same = len(groups)
			groups = append(groups, group{schema.Gold(ex.query), own, ex.query})
		}
		for _, v := range quotation.FindAllString(ex.question, -1) {
			if v = v[1 : len(v)-1]; !slices.Contains(db.values, v) {
				db.values = append(db.values, v)
			}
		}
	}
}
