// Package victim asks models for SQL: it writes the prompt of a question, asks a model
// behind an endpoint ([chat.Endpoint]) or a command ([Command]), and takes the SQL out of
// the answer.
package victim

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/remote/recording"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Prompt is what a model is asked of a question. ID is the same for equal prompts.
type Prompt struct {
	ID       string   `json:"id,omitempty"`
	DB       string   `json:"db_id"`
	Question string   `json:"question"`
	Evidence string   `json:"evidence"`
	Before   []string `json:"before,omitempty"` // earlier questions of its interaction
	Schema   string   `json:"schema"`
	Text     string   `json:"prompt"`
	Index    int      `json:"-"` // of the question in its split, from 0
	Links    []string `json:"-"` // TABLE and TABLE.COLUMN of all that the gold SQL uses, for a template that gives them away
}

// DefaultTemplate is the usual prompt: CREATE TABLE with three rows of each table, and the
// question (Rajkumar et al., 2022). It gives no links away. A template reads the fields of [Prompt] but ID, Text and Index.
const DefaultTemplate = `{{.Schema}}
{{- with .Evidence}}
-- What one must know: {{.}}
{{- end}}
{{- range .Before}}
-- Earlier question: {{.}}
{{- end}}
-- Using valid SQLite, answer this question for the tables above.
-- Question: {{.Question}}
-- Answer with one SQL query and nothing else.
`

// ParseTemplate reads a template of prompts, and tries it on a question.
func ParseTemplate(name, text string) (*template.Template, error) {
	t, err := template.New(name).Parse(text)
	if err != nil {
		return nil, err
	}
	p := &Prompt{Schema: "S", Question: "Q"}
	if err := p.write(t); err != nil {
		return nil, err
	}
	if !strings.Contains(p.Text, "Q") {
		return nil, errors.New("the template has no question, expected {{.Question}} in it")
	}
	return t, nil
}

// write sets the text of the prompt by a template, and its ID, a hash of the text.
func (p *Prompt) write(t *template.Template) error {
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	p.Text = b.String()
	key := recording.Hash(p.Text)
	p.ID = hex.EncodeToString(key[:8])
	return nil
}

// Prompts returns the prompt of each question of a unit, in its order.
func Prompts(ctx context.Context, u *dataset.Unit, t *template.Template) ([]*Prompt, error) {
	schema, err := Schema(ctx, u.DB)
	if err != nil {
		return nil, err
	}
	asked := map[int][]string{} // questions of an interaction so far
	var out []*Prompt
	for _, ex := range u.Examples {
		p := &Prompt{Index: ex.Index, DB: ex.DB, Question: ex.Question, Evidence: ex.Evidence, Schema: schema, Links: goldLinks(u.DB, ex.Query)}
		if ex.Interaction > 0 {
			p.Before = asked[ex.Interaction]
			asked[ex.Interaction] = append(p.Before[:len(p.Before):len(p.Before)], ex.Question) // a copy, as p keeps the slice
		}
		if err := p.write(t); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// goldLinks returns the tables and columns that a query uses, as TABLE and TABLE.COLUMN (ADVETA, section 5.2: oracle schema linking).
// It returns none for a query that cannot be resolved.
func goldLinks(db *dataset.Database, query string) []string {
	_, b, err := sqlast.ParseResolved(query, db)
	if err != nil {
		return nil
	}
	links := b.Tables()
	for _, c := range b.Columns() {
		links = append(links, c.Table+"."+c.Column)
	}
	return links
}

// Bounds on the rows of a table that a prompt shows.
const (
	shownRows  = 3
	shownRunes = 40 // of a cell
)

// Schema returns the CREATE TABLE statements of a database, with the names and keys of its
// schema, each followed by the first rows of the table if there is content.
func Schema(ctx context.Context, db *dataset.Database) (string, error) {
	var file engine.DB
	if db.SQLite != "" {
		var err error
		if file, err = engine.Open(ctx, db.SQLite); err != nil {
			return "", err
		}
		defer file.Close()
	}
	var b strings.Builder
	for _, t := range dataset.SQLiteTables(db) {
		for i, c := range t.Columns { // types as in Spider's files
			t.Columns[i].Type = strings.ReplaceAll(strings.ReplaceAll(c.Type, "TIME_TEXT", "TIME"), "NUMERIC", "NUMBER")
		}
		b.WriteString(strings.TrimSuffix(strings.TrimSpace(sqlite.DDL(t)), ";") + ";\n")
		if file != nil {
			writeRows(ctx, &b, file, t)
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n"), ctx.Err()
}

// writeRows writes the first rows of a table as a comment. A table that cannot be read has
// none.
func writeRows(ctx context.Context, b *strings.Builder, file engine.DB, t sqldata.Table) {
	names := lists.Map(t.Columns, func(c sqldata.Column) string { return c.Name })
	res, err := file.Query(ctx, fmt.Sprintf("SELECT %s FROM %s LIMIT %d", strings.Join(lists.Map(names, sqldata.QuoteName), ", "), sqldata.QuoteName(t.Name), shownRows), sqldata.Limits{})
	if err != nil || len(res.Rows) == 0 {
		return
	}
	fmt.Fprintf(b, "/*\n%d rows of %s:\n", len(res.Rows), t.Name)
	b.WriteString(strings.Join(names, "\t") + "\n")
	for _, row := range res.Rows {
		b.WriteString(strings.Join(lists.Map(row, shown), "\t") + "\n")
	}
	b.WriteString("*/\n")
}

// shown returns a cell on one line, cut to shownRunes, with nothing in it that ends the comment.
func shown(v sqldata.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(v.String(), "?")), " "))
	if len(runes) > shownRunes {
		runes = append(runes[:shownRunes-1], '…')
	}
	return strings.ReplaceAll(string(runes), "*/", "* /")
}
