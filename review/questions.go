package review

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/perturb"
)

// examplesUsing returns the positions of the examples whose gold SQL uses a column. The gold SQL
// of a database is resolved when the first of its columns is shown; gold SQL that cannot be
// resolved uses none.
func (db *database) examplesUsing(ref dataset.ColumnRef) []int {
	db.once.Do(func() {
		db.uses, db.tables = map[dataset.ColumnRef][]int{}, make([][]int, len(db.examples))
		for i, ex := range db.examples {
			resolved, err := perturb.NewExample(db.Database, ex)
			if err != nil {
				continue
			}
			for _, used := range resolved.Columns {
				db.uses[used] = append(db.uses[used], i)
				if !slices.Contains(db.tables[i], used.Table) {
					db.tables[i] = append(db.tables[i], used.Table)
				}
			}
		}
	})
	return db.uses[ref]
}

// questions returns the first MaxQuestions questions whose gold SQL uses a column, with the words that name it marked, and how
// many there are.
func (d *Data) questions(c *column) ([]Question, int) {
	db, using := d.databases[c.db], d.questionsUsing(c)
	out := []Question{}
	for _, i := range using[:min(len(using), MaxQuestions)] {
		ex := db.examples[i]
		linker, table := db.linker(db.tables[i], c.ref.Table)
		question := truncate(ex.Question, maxQuestion)
		out = append(out, Question{
			Parts: markMentions(question, linker, link.Item{Table: table, Column: c.ref.Column}), Query: truncate(ex.Query, maxQuery),
		})
	}
	return out, len(using)
}

// questionsUsing returns the positions, in the database, of the examples whose gold SQL uses a column. Of examples with the same
// question it returns the first: data sets have several gold SQL for one question.
func (d *Data) questionsUsing(c *column) (positions []int) {
	db := d.databases[c.db]
	seen := map[string]bool{}
	for _, i := range db.examplesUsing(c.ref) {
		ex := db.examples[i]
		if !seen[ex.Question] {
			seen[ex.Question] = true
			positions = append(positions, i)
		}
	}
	return positions
}

// Bounds of what is shown of a question, in characters.
const (
	maxQuestion = 1000
	maxQuery    = 2000
)

// linker returns a linker over the tables that a gold SQL uses, and the position of table among them. Over the whole schema too
// many columns would match the words of a question.
func (db *database) linker(tables []int, table int) (link.Linker, int) {
	few := &dataset.Database{ID: db.ID, Tables: lists.Map(tables, func(t int) dataset.Table { return db.Tables[t] })}
	return link.Partial{MinShare: link.DefaultMinShare}.Linker(few), slices.Index(tables, table)
}

// markMentions splits a question into parts, and marks those that the linker links to the column.
func markMentions(question string, linker link.Linker, column link.Item) []Part {
	tokens := dataset.QuestionTokens(question)
	spans := linker.Link(tokens)
	places := tokenOffsets(question, tokens)
	parts, done := []Part{}, 0
	for _, span := range spans {
		if span.Item != column {
			continue
		}
		start, end := places[span.Start][0], places[span.End-1][1]
		if start < done || end <= start { // overlaps an earlier part, or is not literally in the question
			continue
		}
		if start > done {
			parts = append(parts, Part{Text: question[done:start]})
		}
		parts = append(parts, Part{Text: question[start:end], Marked: true})
		done = end
	}
	if done < len(question) {
		parts = append(parts, Part{Text: question[done:]})
	}
	return parts
}

// maxGap is how many bytes may lie between tokens: blanks, and marks that tokens write in
// another way.
const maxGap = 16

// tokenOffsets returns the byte offsets, start and end, of tokens in the text that they were made
// from. A token that the text does not have literally, such as a normalised quotation mark, gets
// an empty range at the end of the token before it.
func tokenOffsets(text string, tokens []string) [][2]int {
	places := make([][2]int, len(tokens))
	at := 0
	for i, token := range tokens {
		places[i] = [2]int{at, at}
		near := text[at:min(len(text), at+maxGap+len(token))]
		start := strings.Index(near, token)
		// Letters before the token are those of a token that was not found: the match may be another word.
		if start >= 0 && !strings.ContainsFunc(near[:start], unicode.IsLetter) {
			at += start
			places[i] = [2]int{at, at + len(token)}
			at += len(token)
		}
	}
	return places
}

// table describes the columns of a column's table.
func (d *Data) table(c *column) []TableColumn {
	db := d.databases[c.db].Database
	this := db.Column(c.ref)
	return tableColumns(db, c.ref.Table, func(other *dataset.Column) bool { return other == this })
}
