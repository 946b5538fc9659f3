package database

import (
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// SchemaSynonym is Dr.Spider's schema-synonym. The paper takes its synonyms from
// the names that ADVETA's authors chose by hand. Here they come from the REPLACE
// names of the buckets and from the dictionary, whose names are those that
// ADVETA's own word replacement makes (section 4.3), restricted to the domain of
// the table.
var SchemaSynonym = renaming("schema-synonym",
	"Renames a random half of the tables and columns that have synonyms, for the questions whose gold SQL mentions one of them.",
	source{"no-synonyms-or-buckets", func(p *perturb.Pass) bool { return p.Dictionary == nil && len(p.Buckets) == 0 }, synonyms})

// renamer makes the synonyms. Its names are the most similar ones, as far as there
// are vectors to tell: of ADVETA's 20 those further down read like riddles
// ("additional building account"). ADVETA's 5 repeats leave many out where there are few.
var renamer = perturb.Renamer{Kept: 5, Repeats: 25}

// synonyms returns the REPLACE names of an entry's columns, then those that the
// dictionary makes of its name.
func synonyms(p *perturb.Pass, e entry) (out []dataset.Candidate) {
	for _, ref := range e.columns {
		for _, c := range p.Buckets[p.DB.ColumnID(ref).Key()].Replace {
			c.Cells = nil
			out = append(out, c)
		}
	}
	natural, original := e.names(p.DB)
	table := p.DB.Tables[e.table]
	keys := []string{"dictionary", table.Original}
	if !e.isTable() {
		keys = append(keys, original)
	}
	made := renamer.Names(p.Resources, p.Rand(keys...), table, natural)
	return append(out, made[:min(len(made), renamer.Kept)]...)
}
