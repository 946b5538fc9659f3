//go:build attack

package hostile

import "strings"

// written are inputs that are plain text.
var written = map[string]string{
	"pairs.tsv":           "book\tauthor\twriter\ttext\nbook\ttitle\tname\ttext\nfarm\tcity\ttown\ttext\n",
	"rename_tables.jsonl": `{"train_idx": 1, "db_id": "d", "question": "Which?", "query": "SELECT a FROM t", "relevant_table": {"t": {"ddl": "create table t( a text)"}}, "new_relevant_table": {"u": {"ddl": "create table u( a text)"}}, "old_new_table_mappings": {"t": "u"}, "new_gold_sql": "SELECT a FROM u"}` + "\n",
	"words.tsv":           "writer\tauthor\ncity\ttown\nprice\tcost\n",
	"vectors.txt":         "4 3\nred 1 0.1 0\nblue 0.9 0 0.2\ngreen 0 1 0\ncity 0.3 0.2 0.1\n",
	"asked.csv":           "db_id,question,sql\ntown_library,How many books are there?,SELECT count(*) FROM books\ntown_library,List all titles.,SELECT title FROM books\n",
	"table.csv":           "ship name,tonnage\nAurora,1200\nBorealis,900\n",
	"ann.jsonl":           `{"n":1,"time":"2026-01-01T10:00:00Z","annotator":"ann","action":"accept","db_id":"town_library","table":"books","column":"author","side":"replace","name":"writer"}` + "\n",
	"migration.sql":       "ALTER TABLE books ADD COLUMN isbn text;\nALTER TABLE loans RENAME TO lendings;\n",
}

// prepared are the commands that make the other inputs, in order.
var prepared = []string{
	"candidates --data data --out buckets.json --explain rejected.jsonl",
	"candidates --data small --out few.json",
	"build --data data --buckets buckets.json --samples 1 --out bench",
	"build --data small --buckets buckets.json --samples 1 --perturb adveta/replace --databases none --out light",
	"suite distill --data data --databases 8 --out suite",
	"link --data data --linker exact --out links.jsonl",
	"link train --data small --split dev --epochs 1 --networks 1 --out linker.bin",
	"lexicon import --in vectors.txt --out vectors.tpv",
	"corpus build --source jsonl:tables --out corpus",
	"eval conformance --out conformance",
}

// printed are inputs that commands print.
var printed = map[string]string{
	"a.json": "eval --gold data/dev.json --pred data/predictions.txt --json",
	"b.json": "eval --gold data/dev.json --pred data/predictions.txt --json",
}

// command is a command that writes. IN stands for the folder of the inputs; it writes OUT,
// and what more names.
type command struct {
	name, line string
	more       []string // further outputs
	resume     bool     // has --resume
	slow       bool     // takes seconds
}

func (c *command) args(in string) []string {
	return strings.Fields(strings.ReplaceAll(c.line, "IN", in))
}

// outs are the outputs, within the folder that the command runs in.
func (c *command) outs() []string { return append([]string{"OUT"}, c.more...) }

// commands are all that write.
var commands = []command{
	{name: "demo", line: "demo --out OUT", slow: true},
	{name: "convert", line: "convert --from spider:IN/data --to spider --out OUT"},
	{name: "convert to folder", line: "convert --from spider:IN/data --to folder --lossy --out OUT"},
	{name: "convert evoschema", line: "convert evoschema IN/rename_tables.jsonl --out OUT"},
	{name: "corpus build", line: "corpus build --source jsonl:IN/tables --out OUT"},
	{name: "candidates", line: "candidates --data IN/small --out OUT --explain NOTES", more: []string{"NOTES"}, resume: true},
	{name: "candidates --attacker", line: "candidates --data IN/small --attacker w2v --out OUT", slow: true},
	{name: "build", line: "build --data IN/small --buckets IN/buckets.json --samples 1 --perturb adveta,drspider/others,mtteql/prefix-insertion --out OUT --force", resume: true},
	{name: "materialize", line: "materialize IN/light --data IN/small --out OUT"},
	{name: "init", line: "init IN/small/database IN/asked.csv --perturb adveta/add --samples 1 --out OUT"},
	{name: "mix", line: "mix --build IN/bench --out OUT"},
	{name: "mix of no databases", line: "mix --build IN/light --data IN/small --out OUT"},
	{name: "suite distill", line: "suite distill --data IN/small --databases 4 --out OUT", resume: true},
	{name: "eval --verdicts", line: "eval --gold IN/data/dev.json --pred IN/data/predictions.txt --verdicts OUT"},
	{name: "compare --junit", line: "compare IN/a.json IN/b.json --max-drop 100 --junit OUT"},
	{name: "migrate-check --write", line: "migrate-check --data IN/small --only town_library --migration IN/migration.sql --write OUT --junit NOTES", more: []string{"NOTES"}},
	{name: "eval consistency --heatmap", line: "eval consistency --build IN/bench --perturb adveta/replace --pred-pre IN/bench/adveta/replace/pre/dev_gold.sql --pred-post IN/bench/adveta/replace/post/dev_gold.sql --heatmap OUT"},
	{name: "eval conformance", line: "eval conformance --out OUT"},
	{name: "predict", line: "predict --data IN/small --victim linker --out OUT"},
	{name: "predict --prompts", line: "predict --data IN/small --prompts OUT"},
	{name: "attack", line: "attack --data IN/small --buckets IN/buckets.json --victim linker --search random --budget 5 --out OUT", slow: true},
	{name: "link train", line: "link train --data IN/small --split dev --epochs 1 --networks 1 --out OUT"},
	{name: "link", line: "link --data IN/data --out OUT"},
	{name: "report", line: "report IN/bench IN/a.json --format html --out OUT"},
	{name: "nli score", line: "nli score --in IN/pairs.tsv --out OUT"},
	{name: "lexicon import", line: "lexicon import --in IN/vectors.txt --out OUT"},
	{name: "lexicon annotate", line: "lexicon annotate --tables IN/data/tables.json --out OUT"},
	{name: "lexicon similarity", line: "lexicon similarity --in IN/words.tsv --out OUT"},
	{name: "review merge", line: "review merge IN/ann.jsonl --buckets IN/buckets.json --out OUT"},
	{name: "review sample", line: "review sample IN/data=IN/buckets.json=mine --size 10 --out OUT"},
}
