package wikisql

import "maps"

// templateTables has the tables of the sentences of templates, with the positions of the columns
// that the templates name.
type templateTables struct {
	tables  map[string]*tableColumns // by table id
	order   []string                 // ids of the tables of the split, in the order of their first sentences
	guessed int                      // columns of these tables whose positions are guessed
}

// tableColumns is what is known about the columns of one table.
type tableColumns struct {
	positions    map[string]int   // index of a column by its folded name, or ambiguous
	headerKnown  bool             // the positions are those of its header
	use          *tableUse        // nil if the split does not ask about the table
	laterColumns []templateColumn // used by sentences of the split after the first of their templates; positions to be found
}

// templateColumn is a column that a sentence names.
type templateColumn struct {
	name   string // folded
	column int    // its index in the table of the template's first sentence
	number bool   // it is used as a number
}

// ambiguous is the position of a name that several columns have.
const ambiguous = -1

// setPosition sets the index of the column with a name; a second index makes the name ambiguous.
func (p *tableColumns) setPosition(name string, column int) {
	if old, ok := p.positions[name]; ok && old != column {
		column = ambiguous
	}
	p.positions[name] = column
}

// position returns the index of the column with a name; ok is false for an unknown or ambiguous
// name.
func (p *tableColumns) position(name string) (int, bool) {
	if p == nil {
		return 0, false
	}
	position, ok := p.positions[name]
	return position, ok && position != ambiguous
}

// headerNames returns a name for each column, "" for an unknown one; of several names for a column, the first in
// alphabetical order. columns is the least number of columns that the table has. The result is nil if nothing is known
// about the table.
func (p *tableColumns) headerNames(columns int) []string {
	if p == nil || len(p.positions) == 0 {
		return nil
	}
	for _, c := range p.positions {
		columns = max(columns, c+1)
	}
	names := make([]string, columns)
	for name, c := range p.positions {
		if c != ambiguous && (names[c] == "" || name < names[c]) {
			names[c] = name
		}
	}
	return names
}

// readTemplateTables reads the templates and returns the positions of columns in the tables of their sentences. They come from
// the header of the table, if another file of the folder has it, or else from the first sentences of templates. Any other
// column gets its position in the template, which is right for three quarters of those in dev and test.
func (s *source) readTemplateTables() *templateTables {
	p := &templateTables{tables: map[string]*tableColumns{}}
	if s.templates == "" {
		return p
	}
	_ = s.readTemplates(ignoreError, func(t *readTemplate) error { // reading the questions reports the error
		if t.form.Check(maxColumns) == nil {
			for i := range t.record.Sentences {
				p.addSentence(s, t, i)
			}
		}
		return nil
	})
	for id, header := range s.knownHeaders() {
		if columns := p.tables[id]; columns != nil { // the header replaces what sentences reveal
			columns.positions, columns.headerKnown = map[string]int{}, true
			for i, h := range header {
				columns.setPosition(foldName(h), i)
			}
		}
	}
	for _, id := range p.order {
		p.guessed += p.tables[id].assignPositions()
	}
	return p
}

// addSentence stores what sentence i of a template reveals about its table. The first sentence gives the positions of the
// columns that the template names, because the form is about its table. A sentence of the split also gives the columns
// that it uses, unless a file has the questions of the split.
func (p *templateTables) addSentence(s *source, t *readTemplate, i int) {
	sentence := &t.record.Sentences[i]
	if !validID(sentence.Table) {
		return
	}
	table := p.tables[sentence.Table]
	if table == nil {
		table = &tableColumns{positions: map[string]int{}}
		p.tables[sentence.Table] = table
	}
	columns := t.columnsOfForm()
	if i == 0 && t.namesKnown {
		for _, c := range columns {
			table.setPosition(c.name, c.column)
		}
	}
	if sentence.Split != s.split || s.questions != "" {
		return
	}
	if table.use == nil {
		table.use = newTableUse(t.number)
		p.order = append(p.order, sentence.Table)
	}
	switch {
	case i == 0: // the form has its positions
		table.use.addForm(&t.form)
	case t.namesKnown:
		table.laterColumns = append(table.laterColumns, columns...)
	}
}

// columnsOfForm returns the columns of the logical form of a template; their names are empty if
// the template does not have them.
func (t *template) columnsOfForm() []templateColumn {
	u := newTableUse(0) // finds the columns that are used as numbers; its record number is not needed
	u.addForm(&t.form)
	columns := []templateColumn{{t.selectName, t.form.Select, u.numbers[t.form.Select]}}
	for i, c := range t.conditionNames {
		index := t.form.Where[i].Column
		columns = append(columns, templateColumn{c.column, index, u.numbers[index]})
	}
	return columns
}

// assignPositions gives a position to each column that the sentences after the first of a template name, and returns the
// number of positions that are guessed. A position is guessed only if the header of the table is not known; a column
// that the header lacks, or has twice, gets none.
func (p *tableColumns) assignPositions() (guessed int) {
	used := map[int]bool{} // positions that a name or a logical form has
	for _, position := range p.positions {
		used[position] = true
	}
	maps.Copy(used, p.use.mentioned)
	free := 0 // no position before it is free
	for _, column := range p.laterColumns {
		position, ok := p.positions[column.name]
		if !ok && !p.headerKnown {
			// Guess the position in the template or, if another column has it, the first free one.
			for position = column.column; used[position]; position = free {
				for used[free] {
					free++
				}
			}
			p.positions[column.name], used[position] = position, true
			guessed++
		} else if !ok || position == ambiguous {
			continue
		}
		p.use.mention(position, column.number)
	}
	p.laterColumns = nil
	return guessed
}

// knownHeaders returns the headers in the tables file or else in ADVETA's files, by table id.
func (s *source) knownHeaders() map[string][]string {
	if s.tables == "" {
		headers, _ := s.advetaHeaders(ignoreError) // guessSchemas returns the error
		return headers
	}
	headers := map[string][]string{}
	_ = readTables(s.tables, false, ignoreError, func(t *table) error { // reading the databases reports the error
		for _, c := range t.db.Tables[0].Columns {
			headers[t.db.ID] = append(headers[t.db.ID], c.Name)
		}
		return nil
	})
	return headers
}
