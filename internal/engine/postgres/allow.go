package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A transaction that only reads still lets SQL sleep, take locks that outlive it, send signals, read the server's files,
// run further SQL from a text and talk to other servers, as far as the role may: all by calls of functions. So SQL of
// others may call what is on a list, as it may in SQLite, and what the server will have tomorrow is not on it.

// allowedFunctions are the functions that SQL of others may call, in the schema pg_catalog or without one: what data sets
// and models use, without effects and of the same answer each time but for the clock.
var allowedFunctions = wordfile.ReadSet(`
	array_agg avg bit_and bit_or bool_and bool_or corr count covar_pop covar_samp every json_agg json_object_agg jsonb_agg jsonb_object_agg
	max min mode percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
	stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance grouping rollup cube
	cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
	abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot degrees div exp factorial
	floor gcd lcm ln log log10 mod pi pow power radians round scale sign sin sind sinh sqrt tan tand tanh trim_scale trunc width_bucket
	age clock_timestamp current_date current_time current_timestamp date_bin date_part date_trunc extract isfinite justify_days
	justify_hours justify_interval localtime localtimestamp make_date make_interval make_time make_timestamp make_timestamptz now
	statement_timestamp timezone to_char to_date to_number to_timestamp transaction_timestamp
	ascii bit_length btrim char_length character_length chr concat concat_ws decode encode format initcap left length lower lpad ltrim
	md5 normalize octet_length overlay parse_ident position quote_ident quote_literal quote_nullable regexp_count regexp_instr
	regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace
	reverse right rpad rtrim sha256 split_part starts_with string_to_array string_to_table strpos substr substring to_ascii to_hex
	translate trim unistr upper
	array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions array_prepend array_remove
	array_replace array_to_string array_upper cardinality generate_series generate_subscripts trim_array unnest
	coalesce greatest least nullif num_nonnulls num_nulls row pg_typeof
	array_to_json json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_each
	json_each_text json_extract_path json_extract_path_text json_object json_object_keys json_strip_nulls json_to_record
	json_to_recordset json_typeof jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array
	jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
	jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty
	jsonb_set jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json to_json to_jsonb
	plainto_tsquery phraseto_tsquery to_tsquery to_tsvector ts_headline ts_rank ts_rank_cd websearch_to_tsquery
	isempty lower_inc upper_inc lower_inf upper_inf int4range int8range numrange daterange tsrange tstzrange
	hashtext bool date float4 float8 int2 int4 int8 numeric text time timestamp timestamptz varchar`)

// catalogs are the schemas of the server's own tables, which have the texts of other sessions and of its files.
var catalogs = wordfile.ReadSet("pg_catalog information_schema pg_toast")

// Allow checks SQL of others and returns it for the server: printed from its syntax tree, so that the server reads exactly what
// was checked. It fails with [sqldata.ErrRefused] for a call of a function that is not on the list and for a table of the
// server's own, and with a [*sqldata.Error] for text that is no SELECT, WITH or VALUES statement that only reads.
func Allow(sql string) (string, error) {
	q, err := allowed(sql)
	if err != nil {
		return "", err
	}
	return q.String(), nil
}

// allowed returns the syntax tree of SQL, or the error that [Allow] returns for it.
func allowed(sql string) (*sqlast.Query, error) {
	q, err := sqlast.PostgreSQL.Parse(sql)
	if err != nil {
		return nil, &sqldata.Error{Msg: err.Error()}
	}
	for n := range sqlast.All[sqlast.Node](q) {
		if err := check(n); err != nil {
			return nil, fmt.Errorf("%w: %w", sqldata.ErrRefused, err)
		}
	}
	return q, nil
}

// namesSchema reports whether a query names a table or column with its schema. Such a name reads the server's table, even where a common
// table expression has the table's name.
func namesSchema(q *sqlast.Query) bool {
	for n := range sqlast.All[sqlast.Node](q) {
		switch n := n.(type) {
		case *sqlast.Table:
			if !n.Call && !n.Schema.IsZero() { // the schema of a function is none of a table
				return true
			}
		case *sqlast.ColumnRef:
			if !n.Schema.IsZero() {
				return true
			}
		}
	}
	return false
}

// allowTable returns the error of [Allow] for the SQL of a table in a file: others may have written the file, and its SQL runs with the
// rights of whoever stages or builds.
func allowTable(t *prefix.Table) error {
	if len(t.Columns) == 0 { // it hides a name, and has no SQL
		return nil
	}
	_, err := Allow(t.Select())
	return err
}

// check returns an error for a node of a syntax tree that SQL of others may not have: a function that is not on the list, a table of the
// server's own or a parameter.
func check(n sqlast.Node) error {
	switch n := n.(type) {
	case *sqlast.Call:
		return checkCall(n.Schema, n.Name)
	case *sqlast.Table:
		return checkTable(n)
	case *sqlast.Param:
		return fmt.Errorf("%s is a parameter, expected its value", n.Text)
	}
	return nil
}

// checkCall returns an error for a function that is not on the list.
func checkCall(schema, function sqlast.Ident) error {
	name := nameOf(function)
	if s := nameOf(schema); (slices.Contains([]string{"", "pg_catalog"}, s)) && allowedFunctions[name] {
		return nil
	}
	return fmt.Errorf("not authorized to use %s, a function that is not on the list", name)
}

// checkTable returns an error for a function in FROM that is not on the list, and for a table of the server's own.
func checkTable(n *sqlast.Table) error {
	name := nameOf(n.Name)
	switch {
	case n.Call:
		return checkCall(n.Schema, n.Name)
	case catalogs[nameOf(n.Schema)], strings.HasPrefix(name, "pg_"):
		return fmt.Errorf("not authorized to read %s, a table of the server's own", name)
	}
	return nil
}

// nameOf returns the name that an identifier means.
func nameOf(id sqlast.Ident) string { return sqlast.PostgreSQL.NameOf(id) }
