package retriever

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// readSQLite reads the tables of a database with their first rows, in the sandbox.
func readSQLite(in *input) error {
	path, remove, err := in.onDisk()
	if err != nil {
		return err
	}
	defer remove()
	err = in.emitDatabase(in.lim.Context, path)
	if err == nil || errors.Is(err, errStop) || in.lim.Context.Err() != nil { // no fault of the database
		return err
	}
	return in.reportBad(0, errors.New(strings.TrimPrefix(err.Error(), path+": "))) // path may be of a temporary file
}

// onDisk returns the path of a member on disk. It copies a member of an archive to a temporary file. The caller must
// call remove, which removes that file, when it has read the member.
func (in *input) onDisk() (path string, remove func(), err error) {
	if f, ok := in.at.(*os.File); ok {
		return f.Name(), func() {}, nil
	}
	f, err := os.CreateTemp("", "corpus-*.sqlite")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(f.Name()) }
	n, err := io.Copy(f, io.LimitReader(in.r, in.lim.MemberBytes+1))
	if err == nil && n > in.lim.MemberBytes {
		err = fmt.Errorf("%w: expected at most %d bytes", errTooLarge, in.lim.MemberBytes)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return f.Name(), remove, nil
}

// emitDatabase emits the tables of the database at path, without views and virtual tables.
func (in *input) emitDatabase(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	tables, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	_, shadows, err := db.Virtual(ctx) // shadows: the tables in which virtual tables store their content
	if err != nil {
		return err
	}
	unique, err := db.Unique(ctx)
	if err != nil {
		return err
	}
	for i, t := range tables {
		if name := strings.ToLower(t.Name); strings.HasPrefix(name, "sqlite_") || shadows[name] {
			continue
		}
		if len(t.PrimaryKey) == 1 { // a key on its own
			unique[t.Name] = append(unique[t.Name], t.PrimaryKey[0])
		}
		t.Columns = t.Columns[:min(len(t.Columns), in.lim.Columns)]
		rows, err := sampleRows(ctx, db, t, in.lim)
		if err != nil {
			err = in.reportBad(i+1, fmt.Errorf("table %.100q: %w", t.Name, err))
		} else {
			err = in.emitSample(i+1, t, unique[t.Name], rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sampleSteps bounds the work of the engine for the sample of a table, whose columns may be generated.
const sampleSteps = 1_000_000

// sampleRows returns the first lim.Rows rows of a table, with texts cut to lim.CellRunes and empty blobs.
func sampleRows(ctx context.Context, db *sqlite.DB, t sqldata.Table, lim Limits) ([][]sqldata.Value, error) {
	cells := lists.Map(t.Columns, func(c sqldata.Column) string {
		q := sqldata.QuoteName(c.Name)
		return fmt.Sprintf("CASE typeof(%s) WHEN 'blob' THEN x'' WHEN 'text' THEN substr(%s, 1, %d) ELSE %s END", q, q, lim.CellRunes, q)
	})
	sql := fmt.Sprintf("SELECT %s FROM %s LIMIT %d", strings.Join(cells, ", "), sqldata.QuoteName(t.Name), lim.Rows)
	res, err := db.Query(ctx, sql, sqldata.Limits{Steps: sampleSteps})
	if err != nil {
		return nil, err
	}
	return res.Rows, nil
}

// emitSample emits table number record of a database with a sample of its rows, under natural names in place of SQL names. unique are
// the names of the columns that are keys on their own. Cells that are NULL or blobs are empty.
func (in *input) emitSample(record int, t sqldata.Table, unique []string, rows [][]sqldata.Value) error {
	r := raw{id: in.name + "#" + t.Name, caption: t.Name, repository: in.repository()}
	for i, c := range t.Columns {
		cells := lists.Map(rows, func(row []sqldata.Value) sqldata.Value { return row[i] })
		r.addColumn(c.Name, folder.ColumnType(c.Type, cells), slices.Contains(unique, c.Name))
	}
	r.rows = lists.Map(rows, func(row []sqldata.Value) []string {
		return lists.Map(row, func(v sqldata.Value) string {
			if v.IsNull() || v.Kind() == sqldata.Blob {
				return ""
			}
			return v.String()
		})
	})
	return in.emitParsed(record, r.bytes(), func() (raw, error) { return r.natural(), nil })
}
