package mix

import (
	"fmt"
	"strings"
)

// feature is a column of the Parquet files as Hugging Face `datasets` declares it.
type feature struct{ name, dtype, doc string }

// features are those of [Row], in its order.
func features() []feature {
	return []feature{
		{"id", "string", "source, example and sample: unique"},
		{"source", "string", "`original`, or the perturbation that made the example"},
		{"db_id", "string", "database, in `tables.json` and `database/`"},
		{"question", "string", "the question"},
		{"query", "string", "gold SQL"},
		{"example", "int32", "position of the original in its split, from 0"},
		{"sample", "int32", "which of the perturbed versions of the original, from 0; null for originals"},
		{"edits", "string", "the edits that made it, a JSON array; `[]` for a turn that stands unchanged beside perturbed ones; null for originals"},
		{"relation", "string", "what the perturbation promised, and was verified by execution: `invariant`, `renamed`, `recoded`, `reshaped` or `retargeted`; null for originals"},
		{"interaction", "int32", "the interaction, or version of one, that it is a turn of, from 1; null where it stands alone"},
		{"turn", "int32", "its position there, from 1; null where it stands alone"},
	}
}

// sizeCategories are Hugging Face's categories of data sets by their number of rows.
var sizeCategories = []struct {
	below int
	name  string
}{{1e3, "n<1K"}, {1e4, "1K<n<10K"}, {1e5, "10K<n<100K"}, {1e6, "100K<n<1M"}, {1e7, "1M<n<10M"}, {1e8, "10M<n<100M"}}

// sizeCategory returns the category of a number of rows.
func sizeCategory(rows int) string {
	for _, s := range sizeCategories {
		if rows < s.below {
			return s.name
		}
	}
	return "100M<n<1B"
}

// unknownLicence is Hugging Face's identifier if no licence is stated.
const unknownLicence = "unknown"

// card returns the text of README.md: a head for `datasets`, then text for people.
func (m *mixer) card() string {
	var b strings.Builder
	man := &m.manifest
	licence := m.Licence
	if licence == "" {
		licence = unknownLicence
	}
	fmt.Fprintf(&b, "---\nlicense: %s\nlanguage:\n- en\ntags:\n- text-to-sql\nsize_categories:\n- %s\n", licence, sizeCategory(man.Rows))
	fmt.Fprint(&b, "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/train-*.parquet\n")
	fmt.Fprint(&b, "dataset_info:\n  features:\n")
	for _, f := range features() {
		fmt.Fprintf(&b, "  - name: %s\n    dtype: %s\n", f.name, f.dtype)
	}
	fmt.Fprintf(&b, "  splits:\n  - name: train\n    num_examples: %d\n---\n\n", man.Rows)

	fmt.Fprintf(&b, "# Text-to-SQL with verified perturbations\n\n%d examples on %d databases: %d originals, and %d perturbed versions of them, whose\ngold SQL was run before and after and kept the promise of its perturbation.\n\n",
		man.Rows, man.Databases, man.Originals, man.Drawn)
	fmt.Fprint(&b, "`data/` holds the examples as Parquet. `train.json`, `train_gold.sql`, `tables.json` and `database/` hold the same ones in\nthe same order as a Spider data directory, for trainers that read that.\n\n")
	fmt.Fprint(&b, "| column | type | holds |\n|---|---|---|\n")
	for _, f := range features() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.name, f.dtype, f.doc)
	}
	m.cardSources(&b)
	m.cardProvenance(&b, licence)
	return b.String()
}

// describe returns in words what a strategy draws.
func (s Strategy) describe() string {
	switch s {
	case Random:
		return "drawn at random from all records"
	case Stratified:
		return "stratified: an equal share of each perturbation as far as it has so many, the rest at random"
	case Adaptive:
		return "adaptive: of each perturbation a share in proportion to its error rate as far as it has so many, the rest at random"
	}
	return "all that the builds have"
}

// cardSources appends the section on originals and perturbations.
func (m *mixer) cardSources(b *strings.Builder) {
	man := &m.manifest
	fmt.Fprintf(b, "\n## Sources\n\nThe perturbed examples are %s.\n\n| source | relation | distinct records | here |\n|---|---|---|---|\n| `%s` | | %d | %d |\n",
		man.Strategy.describe(), Original, man.Originals, man.Originals)
	for _, r := range man.Relations {
		fmt.Fprintf(b, "| `%s` | %s | %d | %d |\n", r.Name, r.Relation, r.Distinct, r.Drawn)
	}
	if man.Interactions > 0 {
		fmt.Fprintf(b, "\nInteractions are drawn as a whole: each counts as one distinct record, and as one that is here. There are %d, in\nwhich %d turns stand unchanged beside perturbed ones.\n", man.Interactions, man.Unchanged)
	}
	for _, e := range man.Exclude {
		fmt.Fprintf(b, "\nNone of the %d databases of `%s`, split `%s`, is among them, nor one with the same tables.\n", e.Databases, e.Name, e.Split)
	}
}

// cardProvenance appends the sections on the command, the files read and the licence.
func (m *mixer) cardProvenance(b *strings.Builder, licence string) {
	man := &m.manifest
	fmt.Fprintf(b, "\n## Provenance\n\nMade by tabperturb with seed %d:\n\n```\n%s\n```\n\nfrom these files (SHA-256):\n\n", man.Seed, strings.TrimSpace(m.Command))
	list := func(before string, inputs []Input) {
		for _, in := range inputs {
			if in.SHA256 != "" {
				fmt.Fprintf(b, "- %s%s `%s`\n", before, in.Name, in.SHA256)
			}
		}
	}
	if man.Data != nil {
		list(man.Data.Name+"/", man.Data.Inputs)
	}
	for _, s := range man.Builds {
		list(s.Name+"/", s.Inputs)
		list("what "+s.Name+" was made from: ", s.From)
	}
	if man.Rates != nil {
		list("", []Input{*man.Rates})
	}
	fmt.Fprint(b, "\n## Licence\n\n")
	if licence == unknownLicence {
		fmt.Fprint(b, "Not stated by who made this. ")
	} else {
		fmt.Fprintf(b, "%s. ", licence)
	}
	fmt.Fprint(b, "Questions, SQL and databases derive from the data set that the builds were made from, and stay under its\nlicence; that of Spider is CC BY-SA 4.0.\n")
}
