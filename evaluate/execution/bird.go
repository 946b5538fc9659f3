package execution

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// BIRDLimits returns the limits under which BIRD's evaluator runs queries: 30 seconds and more
// rows than Spider needs. BIRD gives gold and prediction 30 seconds together, here each has them.
// Limits that are set in l stay.
func BIRDLimits(l sqldata.Limits) sqldata.Limits {
	if l.Time <= 0 {
		l.Time = 3 * sqldata.DefaultLimits.Time
	}
	if l.Rows <= 0 {
		l.Rows = 5 * sqldata.DefaultLimits.Rows
	}
	return l
}

// JudgeBIRD judges a prediction as BIRD's evaluator does ("Can LLM Already Serve as a Database
// Interface?", Li et al., 2023, execution accuracy), which compares Python's set(rows) of both
// answers:
//
//   - rows are sets: their order and repetitions do not count; columns must be in the gold's order, but their names do not count;
//   - numbers are equal by their exact value, integers and reals alike (1 and 1.0, but not 0.3 and 0.1 + 0.2, nor 9007199254740993 and 9007199254740992.0);
//   - NULL equals NULL; text is equal byte by byte, and never equals a blob;
//   - text that is not UTF-8 is an error, like any other;
//   - two answers without rows are equal, whatever their columns.
//
// A prediction that fails or exceeds the limits is wrong. Two rules differ from the program. SQL
// that is not one query is refused; there, an empty text equals an empty answer, and a prediction
// that deletes rows does so before the gold is run. A gold that fails leaves the prediction
// unjudged; there, it is wrong.
func JudgeBIRD(ctx context.Context, gold, pred string, db *Database, limits sqldata.Limits) (Outcome, error) {
	limits = BIRDLimits(limits)
	want, err := db.strictDenotation(ctx, gold, limits)
	if err != nil {
		return db.goldFails(err)
	}
	got, err := db.strictDenotation(ctx, pred, limits)
	if err != nil {
		return db.predictionFails(err)
	}
	if len(want.Rows)+len(got.Rows) > 0 && len(want.Columns) != len(got.Columns) {
		return db.wrong(OtherColumns, describeWidths(want, got)), nil
	}
	if row := missingRow(want, got); row != nil {
		return db.wrong(OtherRows, "lacks row "+formatRow(row)), nil
	}
	if row := missingRow(got, want); row != nil {
		return db.wrong(OtherRows, "has row "+formatRow(row)+", which the gold has not"), nil
	}
	return Outcome{Verdict: verdict.Right}, nil
}

// strictDenotation returns the answer to a query, or an error if the answer has text that is not UTF-8. Callers share
// it and do not change it.
func (d *Database) strictDenotation(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	// No SQL begins with this prefix, so the key differs from that under which denotation stores the query's answer.
	return d.answer(ctx, answerKey{"UTF-8: " + normal(sql), limits}, sql, func(res *sqldata.Result) (*sqldata.Result, error) {
		if hasInvalidText(res) {
			return nil, &sqldata.Error{Msg: "the answer holds text that is not UTF-8"}
		}
		return res, nil
	})
}

// missingRow returns the first row of a that b lacks, or nil.
func missingRow(a, b *sqldata.Result) []sqldata.Value {
	inB := make(map[string]bool, len(b.Rows))
	var key []byte
	for _, row := range b.Rows {
		key = appendRowKey(key[:0], row)
		inB[string(key)] = true
	}
	for _, row := range a.Rows {
		key = appendRowKey(key[:0], row)
		if !inB[string(key)] {
			return row
		}
	}
	return nil
}

// appendRowKey appends bytes that are equal for rows that are equal as Python's tuples.
func appendRowKey(key []byte, row []sqldata.Value) []byte {
	for _, v := range row {
		v = exact(v)
		key = append(key, byte(v.Kind()))
		switch v.Kind() {
		case sqldata.Integer:
			key = binary.LittleEndian.AppendUint64(key, uint64(v.Int()))
		case sqldata.Real:
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v.Float()))
			// A decimal that no float64 equals adds its digits. They need no length before them, as the kind that follows is no digit.
			key = append(key, v.Bytes()...)
		case sqldata.Text, sqldata.Blob:
			key = binary.AppendUvarint(key, uint64(len(v.Bytes())))
			key = append(key, v.Bytes()...)
		}
	}
	return key
}
