package dataset

// The values of [Record.Content].
const (
	ContentOriginal  = "original"  // the data set's own rows
	ContentGenerated = "generated" // made-up rows, because the data set has none
	// ContentBoth is for examples whose answer on the data set's own rows could
	// not show a change.
	ContentBoth = ContentOriginal + "+" + ContentGenerated
	// ByTemporaryTables follows one of them where the server made temporary tables after the edits.
	ByTemporaryTables = " by temporary tables"
)

// VerdictVerified is the [Record.Verdict] of a record whose promise held; any
// other verdict is the reason for which it was rejected.
const VerdictVerified = "verified"

// NoEdits is the [Record.Edits] of an unchanged turn of an interaction with perturbed turns.
const NoEdits = "[]"

// Unchanged reports whether a record is an unchanged turn, see [NoEdits].
func (r *Record) Unchanged() bool { return r.Edits == NoEdits }

// Record is a row of records.parquet: one example under one variant.
type Record struct {
	Perturbation string `parquet:"perturbation"` // "adveta/replace"
	Relation     string `parquet:"relation"`     // the promise: "invariant", "renamed"
	Variant      string `parquet:"variant"`      // id of the variant: equal schema edits, equal id
	Sample       int32  `parquet:"sample"`       // from 0
	Seed         uint64 `parquet:"seed"`
	Example      int32  `parquet:"example"` // Example.Index: position in the split, from 0
	DBPre        string `parquet:"db_id_pre"`
	DBPost       string `parquet:"db_id_post"`
	QuestionPre  string `parquet:"question_pre"`
	QuestionPost string `parquet:"question_post"`
	QueryPre     string `parquet:"query_pre"`
	QueryPost    string `parquet:"query_post"`
	Edits        string `parquet:"edits"` // JSON array; see [NoEdits]

	Mentioned int32 `parquet:"mentioned"` // columns that the gold SQL mentions
	Perturbed int32 `parquet:"perturbed"` // how many of them were perturbed: those with a free name

	// The smallest of each score among the candidates that the edits use.
	Similarity float64 `parquet:"similarity"`
	Forward    float64 `parquet:"forward"`
	Backward   float64 `parquet:"backward"`

	Content    string `parquet:"content"`    // what the verification ran on, one of the constants
	Conclusive bool   `parquet:"conclusive"` // whether an answer could show a change: more than no rows, NULL and 0
	Verdict    string `parquet:"verdict"`
}
