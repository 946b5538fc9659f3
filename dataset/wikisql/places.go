package wikisql

import "maps"

// places is where the columns that templates name stand in their tables.
type places struct {
	tables  map[string]*place
	order   []string // the tables of the split's questions, as they come
	guessed int      // columns of these whose place is made up
}

// place is what is known of one table.
type place struct {
	at    map[string]int // column by folded name
	fixed bool           // the header is known
	use   *use           // nil where the split does not ask about the table
	wants []want
}

// want is a column that a sentence names; column is where its template has it.
type want struct {
	name   string
	column int
	number bool
}

// ambiguous is the position of a name that several columns have.
const ambiguous = -1

// put stores the position of the column with a name.
func (p *place) put(name string, column int) {
	if old, ok := p.at[name]; ok && old != column {
		column = ambiguous
	}
	p.at[name] = column
}

// column returns the position of the column with a name; ok is false for an unknown or ambiguous
// name.
func (p *place) column(name string) (int, bool) {
	if p == nil {
		return 0, false
	}
	at, ok := p.at[name]
	return at, ok && at != ambiguous
}

// headers returns names for the columns of a table, at least so many; nil where
// nothing is known of it.
func (p *place) headers(columns int) []string {
	if p == nil || len(p.at) == 0 {
		return nil
	}
	for _, c := range p.at {
		columns = max(columns, c+1)
	}
	names := make([]string, columns)
	for name, c := range p.at {
		if c != ambiguous && (names[c] == "" || name < names[c]) {
			names[c] = name
		}
	}
	return names
}

// readPlaces reads the templates once. The first sentence of each gives the positions of columns
// of its table, unless another file of the folder has the header of the table. A column without a
// position gets that of its template, which is right for three quarters of those in dev and test.
func (s *source) readPlaces() *places {
	p := &places{tables: map[string]*place{}}
	if s.templates == "" {
		return p
	}
	_ = s.readTemplates(quiet, func(t *readTemplate) error { // an error ends the questions too
		if t.form.Check(maxColumns) == nil {
			for i := range t.record.Sentences {
				p.add(s, t, i)
			}
		}
		return nil
	})
	for id, header := range s.knownHeaders() {
		if known := p.tables[id]; known != nil {
			known.at, known.fixed = map[string]int{}, true
			for i, h := range header {
				known.put(foldName(h), i)
			}
		}
	}
	for _, id := range p.order {
		p.guessed += p.tables[id].settle()
	}
	return p
}

// add adds what sentence i of a template reveals about its table.
func (p *places) add(s *source, t *readTemplate, i int) {
	sentence := &t.record.Sentences[i]
	if !validID(sentence.Table) {
		return
	}
	table := p.tables[sentence.Table]
	if table == nil {
		table = &place{at: map[string]int{}}
		p.tables[sentence.Table] = table
	}
	columns := t.columns()
	if i == 0 && t.named {
		for _, c := range columns {
			table.put(c.name, c.column)
		}
	}
	if sentence.Split != s.split || s.questions != "" {
		return
	}
	if table.use == nil {
		table.use = newUse(t.number)
		p.order = append(p.order, sentence.Table)
	}
	switch {
	case i == 0:
		table.use.add(&t.form)
	case t.named:
		table.wants = append(table.wants, columns...)
	}
}

// columns returns the columns of a template, without names where these are not known.
func (t *template) columns() []want {
	u := newUse(0)
	u.add(&t.form)
	columns := []want{{t.sel, t.form.Select, u.numbers[t.form.Select]}}
	for i, c := range t.conds {
		at := t.form.Where[i].Column
		columns = append(columns, want{c.column, at, u.numbers[at]})
	}
	return columns
}

// settle gives a position to each column that is used, and returns how many of these positions are
// guessed.
func (p *place) settle() (guessed int) {
	used := map[int]bool{}
	for _, at := range p.at {
		used[at] = true
	}
	maps.Copy(used, p.use.asked)
	free := 0
	for _, w := range p.wants {
		at, ok := p.at[w.name]
		if !ok && !p.fixed {
			for at = w.column; used[at]; at = free {
				for used[free] {
					free++
				}
			}
			p.at[w.name], used[at] = at, true
			guessed++
		} else if !ok || at == ambiguous {
			continue
		}
		p.use.mention(at, w.number)
	}
	p.wants = nil
	return guessed
}

// knownHeaders returns the headers of the tables file or of ADVETA's files.
func (s *source) knownHeaders() map[string][]string {
	if s.tables == "" {
		headers, _ := s.advetaHeaders(quiet)
		return headers
	}
	headers := map[string][]string{}
	_ = readTables(s.tables, false, quiet, func(t *table) error { // an error ends the databases too
		for _, c := range t.db.Tables[0].Columns {
			headers[t.db.ID] = append(headers[t.db.ID], c.Name)
		}
		return nil
	})
	return headers
}
