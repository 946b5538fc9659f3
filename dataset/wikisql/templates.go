package wikisql

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// text2sql-data (Finegan-Dollak et al., 2018) has WikiSQL as templates: a query with names
// of columns and with variables for its constants, and the sentences that ask it, each about
// its own table. For the first sentence only, it also has the query with positions of
// columns and with constants. In the tables of the other sentences the columns may have other
// positions, which templatetables.go finds out. If the value of a variable is missing, the sentence
// has no logical form.

// templateRecord is an element of wikisql.json.
type templateRecord struct {
	Sentences []sentenceRecord `json:"sentences"`
	SQL       []string         `json:"sql"`
	Original  []string         `json:"sql-original"`
	Variables []struct {
		Name    string `json:"name"`
		Example string `json:"example"`
	} `json:"variables"`
}

// sentenceRecord is a question of a template.
type sentenceRecord struct {
	Original  string            `json:"original"`
	Split     string            `json:"question-split"`
	Table     string            `json:"table-id"`
	Variables map[string]string `json:"variables"`
}

// template is a query with the names and variables of its columns.
type template struct {
	form           LogicalForm     // of the first sentence
	namesKnown     bool            // whether the rest is known
	selectName     string          // folded name of the column
	conditionNames []conditionName // in the order of the form's
}

// conditionName is the folded name of the column of a condition, and the variable of its
// constant.
type conditionName struct{ column, variable string }

var (
	// SELECT [AGG] colN FROM table [WHERE …]
	originalQuery = lazyregexp.New(`(?s)^SELECT (MAX|MIN|COUNT|SUM|AVG)? ?col(\d+) FROM table(?: WHERE (.*))?$`)
	// the beginning of a condition: colN and its operator
	originalCond = lazyregexp.New(`(?:^| AND )col(\d+) ([=<>]) `)
	// the same query with the name of the column: NAME_FIELD
	templateQuery = lazyregexp.New(`(?s)^SELECT (?:(?:MAX|MIN|COUNT|SUM|AVG) )?(?:TABLEalias0\.)?(.+?)_FIELD FROM TABLE AS TABLEalias0(?: WHERE (.*?))? ?;?$`)
	// one condition: NAME_FIELD, its operator and a variable
	templateCond  = lazyregexp.New(`^(?:TABLEalias0\.)?(.+?)_FIELD ([=<>]) "?(var\d+)"?(?: AND |$)`)
	errNoQuery    = errors.New(`"sql-original" is no query of WikiSQL, expected "SELECT [AGG] colN FROM table [WHERE colN = value …]"`)
	errNoPosition = errors.New("the table's header has not the columns of the template, or has them twice")
	errNoValue    = errors.New("the value of a condition is given nowhere")
)

// template returns the logical form of the first sentence, from the first query of "sql-original", with the names of its
// columns, from that of "sql".
func (rec *templateRecord) template() (*template, error) {
	if min(len(rec.SQL), len(rec.Original)) == 0 {
		return nil, errors.New(`lacks "sql" or "sql-original", expected a list with a query`)
	}
	form, err := originalForm(rec.Original[0])
	if err != nil {
		return nil, err
	}
	t := &template{form: form}
	t.namesKnown = t.findNames(rec)
	return t, nil
}

// originalForm parses "SELECT COUNT col3 FROM table WHERE col4 = 0–0 AND col2 = 3". Constants have
// no quotes; all are taken as text.
func originalForm(sql string) (f LogicalForm, err error) {
	m := originalQuery.FindStringSubmatch(sql)
	if m == nil {
		return f, errNoQuery
	}
	f.Aggregate = slices.Index(Aggregates, m[1])
	if f.Select, err = strconv.Atoi(m[2]); err != nil {
		return f, errNoQuery
	}
	where := m[3] // m has the aggregate, the column and the conditions
	spans := originalCond.FindAllStringSubmatchIndex(where, -1)
	if where != "" && (len(spans) == 0 || spans[0][0] != 0) {
		return f, errNoQuery
	}
	// A constant may hold anything, so it reaches up to the next " AND colN = ". c has the begin and end of the
	// whole match, the column and the operator.
	for i, c := range spans {
		end := len(where)
		if i+1 < len(spans) {
			end = spans[i+1][0]
		}
		column, err := strconv.Atoi(where[c[2]:c[3]])
		if err != nil {
			return f, errNoQuery
		}
		f.Where = append(f.Where, Condition{column, slices.Index(Operators, where[c[4]:c[5]]), Value{Text: where[c[1]:end]}})
	}
	return f, nil
}

// findNames sets the names of the columns of the form from the template's query with names, and reports
// whether all were found. Its conditions may be in another order than those of the form, so they are matched by
// operator and by the example of their variable, which is the constant in the form.
func (t *template) findNames(rec *templateRecord) bool {
	m := templateQuery.FindStringSubmatch(rec.SQL[0]) // the selected column, and the conditions
	if m == nil {
		return false
	}
	t.selectName = foldName(m[1])
	examples := map[string]string{}
	for _, v := range rec.Variables {
		examples[v.Name] = v.Example
	}
	t.conditionNames = make([]conditionName, len(t.form.Where))
	for rest := m[2]; rest != ""; {
		c := templateCond.FindStringSubmatch(rest) // column, operator, variable
		if c == nil || !t.assignName(c[2], examples[c[3]], conditionName{foldName(c[1]), c[3]}) {
			return false
		}
		rest = rest[len(c[0]):]
	}
	return !slices.Contains(t.conditionNames, conditionName{})
}

// assignName sets the name of the condition of the form with an operator and a constant. It returns
// false if there is not exactly one, or if it has a name already.
func (t *template) assignName(operator, constant string, n conditionName) bool {
	found := -1
	for i, c := range t.form.Where {
		if Operators[c.Operator] == operator && c.Value.Text == constant {
			if found >= 0 {
				return false
			}
			found = i
		}
	}
	if found < 0 || t.conditionNames[found] != (conditionName{}) {
		return false
	}
	t.conditionNames[found] = n
	return true
}

// foldName returns a column name in the form that headers ("School/Club Team") and templates
// ("SCHOOL/CLUB_TEAM") have in common.
func foldName(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_ \u00a0", r) }), " "))
}

// readTemplate is a template with its record.
type readTemplate struct {
	*template
	record templateRecord
	number int
}

// readTemplates passes the templates of text2sql-data to each.
func (s *source) readTemplates(report func(error), each func(*readTemplate) error) error {
	return dataset.Records(s.templates, report, func(raw dataset.Raw) (*readTemplate, error) {
		t := &readTemplate{number: raw.Number}
		err := dataset.Decode(raw.JSON, &t.record)
		if err == nil {
			t.template, err = t.record.template()
		}
		return t, err
	}, each)
}

// templateQuestions passes the sentences of the split to each as questions. Those without a
// logical form are left out, with one error at the end for each reason.
func (s *source) templateQuestions(report func(error), each func(*question) error) error {
	lost := map[error]*dataset.RecordError{} // by the reason: the first record with a sentence that is left out
	counts := map[error]int{}                // by the reason: the sentences that are left out
	p := s.templateColumns()
	err := s.readTemplates(report, func(t *readTemplate) error {
		for i := range t.record.Sentences {
			sentence := &t.record.Sentences[i]
			if sentence.Split != s.split {
				continue
			}
			form, err := t.sentenceForm(i, sentence, p.tables[sentence.Table])
			if err != nil {
				if counts[err]++; lost[err] == nil {
					lost[err] = &dataset.RecordError{File: s.templates, Record: t.number}
				}
				continue
			}
			if err := each(&question{file: s.templates, number: t.number, table: sentence.Table, text: sentence.Original, form: form}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, reason := range []error{errNoPosition, errNoValue} {
		if e := lost[reason]; e != nil {
			e.Err = fmt.Errorf("%w: %d questions of the split are left out, the first of them here", reason, counts[reason])
			report(e)
		}
	}
	return nil
}

// sentenceForm returns the logical form of sentence i of a template: the template's own for the
// first, and for any other sentence the same with the positions of the columns in its table and
// its own constants.
func (t *template) sentenceForm(i int, sentence *sentenceRecord, table *tableColumns) (LogicalForm, error) {
	if i == 0 {
		return t.form, nil
	}
	position, ok := table.position(t.selectName)
	if !t.namesKnown || !ok {
		return LogicalForm{}, errNoPosition
	}
	f := LogicalForm{Select: position, Aggregate: t.form.Aggregate}
	for j, c := range t.form.Where {
		position, ok := table.position(t.conditionNames[j].column)
		if !ok {
			return LogicalForm{}, errNoPosition
		}
		value, ok := sentence.Variables[t.conditionNames[j].variable]
		if !ok {
			return LogicalForm{}, errNoValue
		}
		f.Where = append(f.Where, Condition{position, c.Operator, Value{Text: value}})
	}
	return f, nil
}
