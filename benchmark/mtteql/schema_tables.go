package mtteql

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// Normalization moves a column to a table of its own. The paper extracts one
// unused column at a time without a look at the rows; here the new table has the
// column's values, each once, under numbers that the old table refers to. Columns of texts are
// drawn first: schemas have tables of names and kinds, seldom of dates or amounts.
var Normalization = restructuring("normalization", "section 3.2",
	"Moves a column that the gold SQL does not use to a new table, linked by a foreign key.", source(normalizations).run)

// Flattening puts the columns of a table into the one that refers to it.
var Flattening = restructuring("flattening", "section 3.2",
	"Joins a table that the gold SQL does not use to the one that refers to it, and drops it.", source(flattenings).run)

// OpaqueKey hides a key. It is the one relation that does not ask what the gold
// SQL uses: columns and rows stay, and the paper's own example hides the key of
// a join, as models shall find it without.
var OpaqueKey = metamorphic("opaque-key", "section 3.2",
	"Hides a primary or a foreign key of the schema.", source(opaqueKeys).run)

// TableShuffle puts the tables of a schema in another order.
var TableShuffle = metamorphic("table-shuffle", "section 3.2",
	"Shuffles the tables of the schema.", source(tableShuffles).run)

// normalizations returns a change for each column that can move to a table of its own.
func normalizations(p *perturb.Pass) (changes []change, err error) {
	fixed, err := fixed(p)
	if err != nil {
		return nil, err
	}
	for _, ref := range columns(p.DB) {
		if fixed[ref] {
			continue
		}
		repeats, err := repeatsValues(p, ref)
		if err != nil {
			return nil, err
		}
		table, column := p.DB.Tables[ref.Table], p.DB.Column(ref)
		names := perturb.NewFreeNames(p.DB)
		e := perturb.SplitTable{Table: table.Original, Column: column.Original}
		of := namedEntity(p, column.Name)
		e.Natural, e.NewTable = firstName(names.TakeTable, of, column.Name, table.Name+" "+column.Name)
		keyNames := []string{of + " id", column.Name + " id", column.Name + " key"}
		if strings.HasSuffix(column.Name, " id") { // no second "id"
			keyNames = keyNames[2:]
		}
		e.KeyNatural, e.Key = firstName(columnNames(names, ref.Table), keyNames...)
		if e.NewTable != "" && e.Key != "" && !strings.EqualFold(e.Key, column.Original) {
			changes = append(changes, change{edit: e, mustNotUse: []part{part(ref), columnListPart(ref.Table)}, name: e.Natural,
				tier: lookupTier(*column, repeats, isOwnName(p.DB, ref))})
		}
	}
	return changes, nil
}

// lookupTier returns the tier of moving a column to a table of its own, 0 for what schemas do most: 0 for texts that repeat and have no
// figures, such as kinds and places, 1 for other texts, 2 for other columns. Tier 3 is for times, flags and values that belong to one
// row, such as its name, address or free text.
func lookupTier(c dataset.Column, repeats, isOwn bool) int {
	isOwn = isOwn || slices.ContainsFunc(lexicon.Words(c.Name), func(w string) bool { return ownWords[w] })
	switch {
	case c.Type == dataset.Time, c.Type == dataset.Boolean, isOwn, slices.ContainsFunc(c.Samples, isFlag):
		return 3
	case c.Type == dataset.Text && repeats && !slices.ContainsFunc(c.Samples, isFigure):
		return 0
	case c.Type == dataset.Text:
		return 1
	}
	return 2
}

// ownWords are of columns whose values are each row's own.
var ownWords = wordfile.ReadSet("first last full middle surname forename email phone telephone fax url website address street postcode zip " +
	"remark remarks note notes comment comments description title date time is has number no reference barcode isbn")

// isFlag reports whether a cell is a letter, or one of the words for yes and no.
func isFlag(cell string) bool {
	return len(cell) == 1 && unicode.IsLetter(rune(cell[0])) || slices.Contains([]string{"yes", "no", "true", "false"}, strings.ToLower(cell))
}

// namedEntity returns "brewer" for a column "brewer name", if the thesaurus of headings knows brewers as a class and no table has that
// name. Otherwise it returns the column's name.
func namedEntity(p *perturb.Pass, name string) string {
	of, isName := strings.CutSuffix(name, " name")
	isTable := func(t dataset.Table) bool { return lexicon.Normal(t.Name) == lexicon.Normal(of) }
	hasClass := isName && p.Headings != nil && len(p.Headings().Classes().Of(of)) > 0
	if !hasClass || slices.ContainsFunc(p.DB.Tables, isTable) {
		return name
	}
	return of
}

// isFigure reports whether a cell that is not empty has fewer than two letters: a time, date or number stored as a text, or a flag.
func isFigure(cell string) bool {
	letters := lists.Count([]rune(cell), unicode.IsLetter)
	return cell != "" && letters < 2
}

// repeatsValues reports whether each value of a column is in two rows or more on average. Without content it returns true.
func repeatsValues(p *perturb.Pass, ref dataset.ColumnRef) (bool, error) {
	if p.Content == nil {
		return true, nil
	}
	res, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT count(%[1]s), count(DISTINCT %[1]s) FROM %[2]s",
		sqldata.QuoteName(p.DB.Column(ref).Original), sqldata.QuoteName(p.DB.Tables[ref.Table].Original)))
	if err != nil { // the file may lack a column of the schema
		return false, p.Context.Err()
	}
	return res.Rows[0][0].Int() >= 2*res.Rows[0][1].Int(), nil
}

// flattenings returns the changes that merge a table into one that refers to it: singers and their countries become one table.
// Those that lose no row are drawn first.
func flattenings(p *perturb.Pass) (changes []change, err error) {
	for _, e := range Merges(p.DB) {
		changes = append(changes, change{
			edit: e, mustNotUse: []part{tablePart(p.DB.Table(e.Reference)), columnListPart(p.DB.Table(e.Table))}, tier: tierOf(keepsRows(p, e)),
		})
	}
	return changes, p.Context.Err()
}

// keepsRows reports whether each row of the table that a merge drops is referred to by a row of the other one, so that none is lost.
func keepsRows(p *perturb.Pass, e perturb.MergeTables) bool {
	column, _ := p.DB.Lookup(e.Table, e.Column)
	target, _ := p.DB.Lookup(e.Reference, e.Target)
	return p.Content.RefersToAll(p.Context, dataset.ForeignKey{Column: column, Target: target})
}

// Merges returns an edit for each foreign key that merges the table that it refers to into the other one. It skips keys of tables that
// cannot change or (Read) be dropped, of tables that only relate others, and keys whose column is named neither like the table nor
// like its key.
func Merges(db *dataset.Database) (merges []perturb.MergeTables) {
	for i, key := range db.ForeignKeys {
		main, reference := key.Column.Table, key.Target.Table
		switch {
		case slices.Contains(db.ForeignKeys[:i], key), !perturb.Mergeable(db, key):
			continue
		case !alterable(db, main), !alterable(db, reference), db.Tables[reference].Read:
			continue
		case isLink(db, key):
			continue
		case !shareWord(db.Tables[reference].Name, db.Column(key.Column).Name) && db.Column(key.Column).Name != db.Column(key.Target).Name:
			continue
		}
		if columns, ok := MergedColumns(db, key.Column.Table, key.Target); ok {
			merges = append(merges, perturb.MergeTables{
				Table: db.Tables[main].Original, Column: db.Column(key.Column).Original,
				Reference: db.Tables[reference].Original, Target: db.Column(key.Target).Original, Columns: columns,
			})
		}
	}
	return merges
}

// isLink reports whether the table of a foreign key only relates other tables: it has several foreign keys, and no primary key of its
// own. Columns merged into such a table would be repeated in each pair.
func isLink(db *dataset.Database, key dataset.ForeignKey) bool {
	primary := lists.Filter(db.PrimaryKeys, func(ref dataset.ColumnRef) bool { return ref.Table == key.Column.Table })
	references := lists.Count(db.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Column.Table == key.Column.Table })
	return references > 1 && (len(primary) != 1 || perturb.IsForeignKey(db, primary[0]))
}

// MergedColumns returns the names that the columns of target's table, but for target, get in the table into: "name" of
// the owners becomes "owner name". A column keeps its name if that shares a word with the name of its table and is
// free. ok is false if no free name is found for a column.
func MergedColumns(db *dataset.Database, into int, target dataset.ColumnRef) (columns []perturb.MergedColumn, ok bool) {
	names := perturb.NewFreeNames(db)
	taken := map[string]bool{}
	for _, c := range db.Tables[into].Columns {
		taken[perturb.Bare(c.Name)], taken[perturb.Bare(c.Original)] = true, true
	}
	free := func(c perturb.MergedColumn) bool {
		return !taken[perturb.Bare(c.Name)] && !taken[perturb.Bare(c.Natural)]
	}
	reference := db.Tables[target.Table]
	for i, c := range reference.Columns {
		if i == target.Column {
			continue
		}
		merged := perturb.MergedColumn{Column: c.Original, Name: c.Original, Natural: c.Name}
		if !shareWord(reference.Name, c.Name) || !free(merged) {
			merged.Natural = lexicon.Normal(reference.Name) + " " + c.Name
			// From the identifiers, which may be shorter than the natural names: "rotor_dia".
			merged.Name, ok = names.Take(into, lexicon.Normal(reference.Original)+" "+strings.Join(lexicon.Words(c.Original), " "))
			if !ok || !free(merged) {
				return nil, false
			}
		}
		taken[perturb.Bare(merged.Name)], taken[perturb.Bare(merged.Natural)] = true, true
		columns = append(columns, merged)
	}
	return columns, true
}

// opaqueKeys returns a change for each primary key, and for each foreign key, of the schema.
func opaqueKeys(p *perturb.Pass) (changes []change, err error) {
	db := p.DB
	for i, ref := range db.PrimaryKeys { // once for a key of several columns
		if !slices.ContainsFunc(db.PrimaryKeys[:i], func(r dataset.ColumnRef) bool { return r.Table == ref.Table }) {
			changes = append(changes, change{edit: perturb.DropPrimaryKey{Table: db.Tables[ref.Table].Original}})
		}
	}
	for i, k := range db.ForeignKeys {
		if !slices.Contains(db.ForeignKeys[:i], k) {
			changes = append(changes, change{edit: perturb.DropForeignKey{
				Table: db.Tables[k.Column.Table].Original, Column: db.Column(k.Column).Original,
				Reference: db.Tables[k.Target.Table].Original, Target: db.Column(k.Target).Original,
			}})
		}
	}
	return changes, nil
}

// tableShuffles returns up to p.Samples changes, each with another order of the tables.
func tableShuffles(p *perturb.Pass) (changes []change, err error) {
	for _, order := range orders(p.Rand("tables"), len(p.DB.Tables), p.Samples) {
		names := lists.Map(order, func(t int) string { return p.DB.Tables[t].Original })
		changes = append(changes, change{edit: perturb.ShuffleTables{Order: names}})
	}
	return changes, nil
}

// ColumnShuffle puts the columns of a table in another order.
var ColumnShuffle = metamorphic("column-shuffle", "section 3.2",
	"Shuffles the columns of a table.", source(columnShuffles).run)

// columnShuffles returns changes with other orders of the columns of each table. All tables get equally many, so that
// together they have at least one for each sample, if there are so many orders.
func columnShuffles(p *perturb.Pass) (changes []change, err error) {
	each := (p.Samples + len(p.DB.Tables) - 1) / max(len(p.DB.Tables), 1)
	for t, table := range p.DB.Tables {
		for _, order := range orders(p.Rand("columns", strconv.Itoa(t)), len(table.Columns), each) {
			names := lists.Map(order, func(c int) string { return table.Columns[c].Original })
			changes = append(changes, change{edit: perturb.ShuffleColumns{Table: table.Original, Order: names}, mustNotUse: []part{columnListPart(t)}})
		}
	}
	return changes, nil
}

// attempts is the number of draws for each order that is wanted: few things have few orders, so that draws repeat.
const attempts = 20

// orders draws permutations of the indices 0 to n-1, all different, without the
// identity. It returns fewer than want if it finds no more.
func orders(rng *rand.Rand, n, want int) (out [][]int) {
	for range want * attempts {
		order := rng.Perm(n)
		if len(out) == want {
			break
		}
		if !slices.IsSorted(order) && !slices.ContainsFunc(out, func(o []int) bool { return slices.Equal(o, order) }) {
			out = append(out, order)
		}
	}
	return out
}
