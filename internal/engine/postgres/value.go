package postgres

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// value parses the text that the server sent for a cell of the type with an OID; nil is NULL. Numbers are numbers, true is 1 and
// false 0, bytea is a blob, and all else is its text: times, arrays, JSON, UUIDs.
func value(oid uint32, text []byte) sqldata.Value {
	if text == nil {
		return sqldata.Value{}
	}
	s := string(text)
	switch oid {
	case pgtype.NumericOID:
		if v, ok := sqldata.NewDecimal(s); ok && strings.Contains(s, ".") {
			return v
		}
		return number(s) // a whole number, or NaN
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID, pgtype.Float4OID, pgtype.Float8OID:
		return number(s)
	case pgtype.BoolOID:
		if s == "t" {
			return sqldata.NewInt(1)
		}
		return sqldata.NewInt(0)
	case pgtype.ByteaOID:
		if data, err := hex.DecodeString(strings.TrimPrefix(s, `\x`)); err == nil {
			return sqldata.NewBlob(string(data))
		}
	}
	return sqldata.NewText(s)
}

// number returns the integer or real number that a text spells; for NaN and other text, the text.
func number(s string) sqldata.Value {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return sqldata.NewInt(i)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f == f { // f != f is NaN
		return sqldata.NewFloat(f)
	}
	return sqldata.NewText(s)
}
