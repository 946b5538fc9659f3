package review

import "github.com/tabperturb/tabperturb/dataset"

// The requests and answers of the server. In a review of the records of a build, a record
// takes the role of a column and a criterion that of a name. Columns have numbers from 0 in
// the order of the data directory, which stay as long as its files do.

// Orders of a [List].
const (
	ByDatabase = "database" // as the data directory has them
	ByDoubt    = "doubt"    // the least sure name first, see [ListItem.Doubt]
)

// PageSize is the most columns of a [List] and the most databases of [Databases].
const PageSize = 50

// List is a page of the columns that the buckets have. The query of GET /api/list:
//
//	page   from 0; a page that is not there is the last
//	order  "database" (the default) or "doubt"
//	db     a db_id: its columns alone
//	text   columns with all these words in their database, table, column or names, without case
//	open   "true": columns with undecided names alone
//	at     a column's number: the page that holds it, or the next in order where the filters leave it out
type List struct {
	Page     int        `json:"page"`
	Pages    int        `json:"pages"` // 1 or more
	Total    int        `json:"total"` // columns that the filters keep
	Items    []ListItem `json:"items"`
	At       int        `json:"at"`        // of ?at=: its place among the items, -1 if it is not among them
	NextOpen int        `json:"next_open"` // the first column with undecided names after ?at= (else from this page on), or else from the beginning; -1 for none
}

// ListItem is a column in a list.
type ListItem struct {
	ID      int      `json:"id"`
	DB      string   `json:"db_id"`
	Table   string   `json:"table"`
	Column  string   `json:"column"`
	Names   int      `json:"names"`   // to decide on; not the annotator's own
	Decided int      `json:"decided"` // of Names
	Doubt   *float64 `json:"doubt"`   // the least distance of a name's scores from the policy's threshold; null without scores
}

// ColumnView is all that a person needs to decide on a column.
type ColumnView struct {
	ID      int    `json:"id"`
	DB      string `json:"db_id"`
	Table   string `json:"table"`  // SQL names
	Column  string `json:"column"` //
	Version int    `json:"version"`
	Undo    int    `json:"undo"` // number of the decision, on any column, that undo takes back; 0 for none

	TableName   string        `json:"table_name"` // natural name
	Entity      string        `json:"entity"`     // what the table is about; may be empty
	Caption     string        `json:"caption"`    // may be empty
	Name        string        `json:"name"`       // of the column, natural
	Type        string        `json:"type"`
	Description string        `json:"description"` // of the column; may be empty
	Values      string        `json:"values"`      // what its cells mean; may be empty
	Columns     []TableColumn `json:"columns"`     // of the table, in order
	Rows        [][]*string   `json:"rows"`        // up to [MaxRows], a cell for each of Columns; null is NULL
	RowsProblem string        `json:"rows_problem"`

	Questions     []Question `json:"questions"`      // that use the column, up to [MaxQuestions]
	QuestionTotal int        `json:"question_total"` // how many there are

	Record *RecordView `json:"record,omitempty"` // of a record, in the place of the table and the questions
	Alike  []Alike     `json:"alike"`            // other records of the perturbation with the same texts and undecided criteria, up to [MaxAlike]

	Replace  []Name  `json:"replace"`
	Add      []Name  `json:"add"`
	Criteria []Name  `json:"criterion"` // of a record, in the place of both
	Open     int     `json:"open"`      // names that are undecided
	Comments []Notes `json:"comments"`  // on the column itself
}

// Alike is a record with its [ColumnView.Version].
type Alike struct {
	ID      int `json:"id"`
	Version int `json:"version"`
}

// Bounds of a [ColumnView].
const (
	MaxAlike     = 100
	MaxRows      = 5
	MaxQuestions = 20
	maxCell      = 120 // characters of a cell; the rest is cut
)

// TableColumn is a column of the table that is shown.
type TableColumn struct {
	Column string `json:"column"` // SQL name
	Name   string `json:"name"`   // natural name
	Type   string `json:"type"`
	Key    bool   `json:"key"`  // part of the primary key
	This   bool   `json:"this"` // the one to decide on
	// Renamed: the other side has the column under another natural name.
	Renamed bool `json:"renamed,omitempty"`
}

// Question is a question whose gold SQL uses the column.
type Question struct {
	Parts []Part `json:"parts"` // the question in pieces, to be put together as they are
	Query string `json:"query"`
}

// Part is a piece of a question; marked where it names the column.
type Part struct {
	Text   string `json:"text"`
	Marked bool   `json:"marked"`
}

// Name is a candidate with what was decided on it.
type Name struct {
	Side       dataset.Side `json:"side"` // [Criterion], or its original bucket; Answer alone shows where it is moved
	Name       string       `json:"name"`
	Source     string       `json:"source"`
	Evidence   string       `json:"evidence"`
	Type       string       `json:"type"`
	Cells      []string     `json:"cells"`
	Scored     bool         `json:"scored"` // similarity, forward and backward are known
	Similarity float64      `json:"similarity"`
	Forward    float64      `json:"forward"`
	Backward   float64      `json:"backward"`
	Validity   float64      `json:"validity"` // probability that people accept it; 0 if it was not predicted
	Doubt      *float64     `json:"doubt"`    // as [ListItem.Doubt]
	Answer     Action       `json:"answer"`   // accept, reject, move, or "" for undecided
	Own        bool         `json:"own"`      // the annotator's own, which can be rejected and moved as others
	Comments   []Notes      `json:"comments"`
}

// Notes is a comment, by itself or with another decision.
type Notes struct {
	N    int    `json:"n"` // number of the record
	Text string `json:"text"`
}

// Request is the body of POST /api/decide and, with Undo alone, of POST /api/undo.
type Request struct {
	ID      int          `json:"id"`
	Version int          `json:"version"` // the [ColumnView.Version] that the decision was made on
	Action  Action       `json:"action"`  // accept, reject, move, add, comment
	Side    dataset.Side `json:"side"`    // of all but a comment on the column
	Name    string       `json:"name"`    // empty for a comment on the column, and to accept all criteria of a record
	Comment string       `json:"comment"` // with any action; a comment's text

	Undo int `json:"undo"` // of /api/undo: the [ColumnView.Undo] that was shown
}

// Saved answers a decision that is on disk. After an undo, Column is the column whose decision was undone.
type Saved struct {
	N        int        `json:"n"` // number of the record; 0 if the answer was the same before and nothing was written
	Column   ColumnView `json:"column"`
	Progress Progress   `json:"progress"`
}

// Progress is the progress of the annotator.
type Progress struct {
	Annotator string `json:"annotator"`
	Things    string `json:"things"` // "columns", or "records" of a build
	Items     string `json:"items"`  // "names", or "criteria"
	Columns   int    `json:"columns"`
	Done      int    `json:"done"` // columns without an undecided name
	Names     int    `json:"names"`
	Decided   int    `json:"decided"`
	Accepted  int    `json:"accepted"` // of Decided, as are the two below
	Rejected  int    `json:"rejected"`
	Moved     int    `json:"moved"`
	Added     int    `json:"added"` // names of the annotator's own
	Undo      int    `json:"undo"`  // as [ColumnView.Undo]
}

// Databases are the databases whose id contains a text, at most [PageSize]: GET
// /api/databases?text=, for a filter.
type Databases struct {
	Total     int            `json:"total"`
	Databases []DatabaseItem `json:"databases"`
}

// DatabaseItem is a database in a list.
type DatabaseItem struct {
	DB      string `json:"db_id"`
	Columns int    `json:"columns"`
	Done    int    `json:"done"`
}

// Failure is the body of every answer with a status of 400 and more.
type Failure struct {
	Error  string      `json:"error"`
	Column *ColumnView `json:"column,omitempty"` // with 409: the column as it is now
}
