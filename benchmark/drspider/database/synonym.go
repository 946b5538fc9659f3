package database

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// SchemaSynonym is Dr.Spider's schema-synonym. The paper takes its synonyms from
// the names that ADVETA's authors chose by hand. Here they are the REPLACE names of
// the buckets and, where no model judged these and for tables, those of the sense that it has in its database.
var SchemaSynonym = renaming("schema-synonym",
	"Renames a random half of the tables and columns that have synonyms, for the questions whose gold SQL mentions one of them.",
	synonyms)

// Renamings returns, for each table and column that has a free synonym, the edits that rename it to the best one. Columns that a
// foreign key ties together are renamed alike. The error is a [*perturb.Refusal] if no table or column has a synonym.
func Renamings(p *perturb.Pass) (renamings [][]perturb.Edit, err error) {
	dictionary, err := source(synonyms).dictionary(p)
	for _, e := range dictionary {
		names := perturb.NewFreeNames(p.DB)
		for _, c := range e.candidates {
			if edits := e.rename(p.DB, names, c); edits != nil {
				renamings = append(renamings, edits)
				break
			}
		}
	}
	return renamings, err
}

// maxSynonyms is how many names of a sense are used: the first are the most usual.
const maxSynonyms = 3

// synonyms returns a function that proposes names for an entry: the REPLACE names that the buckets have for its columns, then, for
// tables and where no model judged the buckets, up to [maxSynonyms] names of its sense. It leaves out names in another form than
// schemas use ("type of event") and those that do not suit the tables.
func synonyms(p *perturb.Pass) (func(entry) []dataset.Candidate, error) {
	if p.Dictionary == nil && p.Headings == nil && len(p.Buckets) == 0 {
		return nil, &perturb.Refusal{Reason: "no-synonyms-or-buckets"}
	}
	senses, err := p.Senses()
	if err != nil {
		return nil, err
	}
	return func(e entry) (out []dataset.Candidate) {
		for _, ref := range e.columns {
			out = append(out, senses.Replacing(ref)...)
		}
		if e.isTable() || !senses.AreJudged() {
			ofSense := e.synonyms(senses)
			out = append(out, ofSense[:min(len(ofSense), maxSynonyms)]...)
		}
		return lists.Filter(out, func(c dataset.Candidate) bool { return perturb.HasHeadLast(c.Name) && e.suits(p.DB, senses, c.Name) })
	}, nil
}

// suits reports whether a name fits the tables in which an entry's columns are. "Location id" does not fit the key of venues, nor
// "time started" a table with an end time, nor "client" a column of the table of clients.
func (e entry) suits(db *dataset.Database, senses *perturb.Senses, name string) bool {
	return !slices.ContainsFunc(e.columns, func(ref dataset.ColumnRef) bool {
		return losesEntity(db, ref, name) || losesHead(db.Tables[ref.Table], ref.Column, name) || isTableName(senses, ref.Table, name)
	})
}

// losesEntity reports whether a new name of a key lacks words of its table's name that the key has: "location id" for the "venue id"
// of venues.
func losesEntity(db *dataset.Database, ref dataset.ColumnRef, name string) bool {
	entity := db.Tables[ref.Table].Name
	return perturb.IsKey(db, ref) && perturb.HoldsWords(db.Column(ref).Name, entity) && !perturb.HoldsWords(name, entity)
}

// losesHead reports whether a new name of a column with a sibling changes its last word, which both share: "forename" for "first name"
// in a table with "last name".
func losesHead(table dataset.Table, column int, name string) bool {
	old, words := lexicon.Words(table.Columns[column].Name), lexicon.Words(name)
	return perturb.HasSibling(table, column) && words[len(words)-1] != old[len(old)-1]
}

// isTableName reports whether a name is one of those that may replace the name of a table.
func isTableName(senses *perturb.Senses, table int, name string) bool {
	return slices.ContainsFunc(senses.Table(table), func(c dataset.Candidate) bool { return perturb.Bare(c.Name) == perturb.Bare(name) })
}

// synonyms returns the names of an entry's sense. For columns that foreign keys tie together they are those that each of the columns has.
func (e entry) synonyms(senses *perturb.Senses) []dataset.Candidate {
	if e.isTable() {
		return senses.Table(e.table)
	}
	shared := senses.Column(e.columns[0])
	for _, ref := range e.columns[1:] {
		shared = common(shared, senses.Column(ref))
	}
	return shared
}

// common returns the candidates of list whose names others has too.
func common(list, others []dataset.Candidate) []dataset.Candidate {
	return lists.Filter(list, func(c dataset.Candidate) bool {
		return slices.ContainsFunc(others, func(o dataset.Candidate) bool { return perturb.Bare(o.Name) == perturb.Bare(c.Name) })
	})
}
