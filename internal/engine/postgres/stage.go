package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Staged is a schema of views on a server that a [Stage] made, or is to make.
type Staged struct {
	Schema        string   `json:"schema"`
	Perturbations []string `json:"perturbations"`
	Views         []string `json:"views"`
	Role          string   `json:"role,omitempty"` // that sees the schema alone
}

// Perturbed is a perturbed database to stage.
type Perturbed struct {
	Staged
	Content string          // path of the file that names the database
	Tables  []sqldata.Table // the views to make, with columns and comments
}

// Stage is a database on a server in which perturbed databases become schemas of views. The comment of a schema marks it as made by a
// stage and lists its views; the comment of a role marks the role. Nothing else is dropped or replaced.
type Stage struct {
	server   *server
	tables   []table
	database string
	staged   map[string]Staged // by schema, what earlier stages made
	schemas  map[string]bool   // all on the server
	roles    map[string]string // all on the server, with their comments
}

// mark begins the comment of what a stage made.
const mark = "made by tabperturb stage: "

// maxName is the length in bytes above which the server cuts names.
const maxName = 63

// schemasSQL selects all schemas with their comments; rolesSQL all roles with their comments and, in each row, the connection's database.
const (
	schemasSQL = `SELECT nspname, coalesce(pg_catalog.obj_description(oid, 'pg_namespace'), '') FROM pg_catalog.pg_namespace ORDER BY 1`
	rolesSQL   = `SELECT rolname, coalesce(pg_catalog.shobj_description(oid, 'pg_authid'), ''), pg_catalog.current_database() FROM pg_catalog.pg_roles`
)

// OpenStage connects to the database at an address and reads what is staged there.
func OpenStage(ctx context.Context, address string) (*Stage, error) {
	if !IsAddress(address) {
		return nil, errors.New("the address of the server cannot be read, expected postgres://USER@HOST:PORT/DATABASE")
	}
	server, err := serverOf(address)
	if err != nil {
		return nil, err
	}
	s := &Stage{server: server, staged: map[string]Staged{}, schemas: map[string]bool{}, roles: map[string]string{}}
	if s.tables, err = server.introspect(ctx); err != nil {
		return nil, err
	}
	schemas, err := server.query(ctx, "", schemasSQL, sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	for _, row := range schemas.Rows {
		name, comment := row[0].Bytes(), row[1].Bytes()
		s.schemas[name] = true
		var made Staged
		if text, ok := strings.CutPrefix(comment, mark); ok && json.Unmarshal([]byte(text), &made) == nil { // else not a stage's
			made.Schema = name
			s.staged[name] = made
		}
	}
	roles, err := server.query(ctx, "", rolesSQL, sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	for _, row := range roles.Rows { // a role, its comment, and the database, the same in each row
		s.roles[row[0].Bytes()], s.database = row[1].Bytes(), row[2].Bytes()
	}
	return s, nil
}

// Database returns the name of the database.
func (s *Stage) Database() string { return s.database }

// List returns what is staged, sorted by schema.
func (s *Stage) List() []Staged {
	list := []Staged{}
	for name := range s.staged {
		list = append(list, s.staged[name])
	}
	slices.SortFunc(list, func(a, b Staged) int { return strings.Compare(a.Schema, b.Schema) })
	return list
}

// roleComment returns the comment of the role of a schema. Roles are those of all databases of a server.
func (s *Stage) roleComment(schema string) string { return mark + s.database + "." + schema }

// DropScript returns the transaction that drops a staged schema with its views and role. It fails if others put objects into the schema.
func (s *Stage) DropScript(made Staged) string {
	return "BEGIN;\n" + s.dropViews(made) + s.dropRole(made) + "COMMIT;\n"
}

// dropViews returns the statements that drop the views and the schema.
func (s *Stage) dropViews(made Staged) string {
	var b strings.Builder
	schema := sqldata.QuoteName(made.Schema)
	if len(made.Views) > 0 {
		fmt.Fprintf(&b, "DROP VIEW IF EXISTS %s;\n", strings.Join(qualified(schema, made.Views), ", "))
	}
	fmt.Fprintf(&b, "DROP SCHEMA %s;\n", schema)
	return b.String()
}

// dropRole returns the statement that drops the role of a staged schema, "" if it has none or a stage did not make the role for it.
func (s *Stage) dropRole(made Staged) string {
	if made.Role == "" || s.roles[made.Role] != s.roleComment(made.Schema) {
		return ""
	}
	return "DROP ROLE " + sqldata.QuoteName(made.Role) + ";\n"
}

// qualified returns names quoted and with a schema, which is quoted already, before them: schema."name".
func qualified(schema string, names []string) []string {
	return lists.Map(names, func(n string) string { return schema + "." + sqldata.QuoteName(n) })
}

// Script returns the transaction that stages a perturbed database and first drops what an earlier stage made under its schema's name. It
// sets p.Views to the names of the views. It returns an error if the schema or the role exists and a stage did not make it.
func (s *Stage) Script(p *Perturbed) (string, error) {
	if len(p.Schema) > maxName || len(p.Role) > maxName {
		return "", fmt.Errorf("the names %s and %s are too long, expected at most %d bytes each", p.Schema, p.Role, maxName)
	}
	if comment, ok := s.roles[p.Role]; ok && comment != s.roleComment(p.Schema) {
		return "", fmt.Errorf("the role %s exists and was not made for %s, expected another name", p.Role, p.Schema)
	}
	earlier, replaces := s.staged[p.Schema]
	if s.schemas[p.Schema] && !replaces {
		return "", fmt.Errorf("the schema %s exists and was not made by stage, expected none of that name", p.Schema)
	}
	views, err := s.views(p)
	if err != nil {
		return "", err
	}
	for _, t := range p.Tables {
		p.Views = append(p.Views, t.Name)
	}
	var b strings.Builder
	b.WriteString("BEGIN;\n")
	if replaces {
		b.WriteString(s.dropViews(earlier))
		if earlier.Role != p.Role { // the same role stays, and so does its password
			b.WriteString(s.dropRole(earlier))
		}
	}
	comment, err := json.Marshal(p.Staged)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "CREATE SCHEMA %[1]s;\nCOMMENT ON SCHEMA %[1]s IS %[2]s;\n%[3]s", sqldata.QuoteName(p.Schema), quoteText(mark+string(comment)), views)
	if p.Role != "" {
		b.WriteString(s.role(p))
	}
	b.WriteString("COMMIT;\n")
	return b.String(), nil
}

// role returns the statements that make the role of a schema, unless it exists, and give it its rights. A password that it has stays.
func (s *Stage) role(p *Perturbed) string {
	var b strings.Builder
	role, schema := sqldata.QuoteName(p.Role), sqldata.QuoteName(p.Schema)
	if _, ok := s.roles[p.Role]; !ok {
		fmt.Fprintf(&b, "CREATE ROLE %[1]s LOGIN;\nCOMMENT ON ROLE %[1]s IS %[2]s;\n", role, quoteText(s.roleComment(p.Schema)))
	}
	fmt.Fprintf(&b, "ALTER ROLE %[1]s SET search_path = %[2]s;\nGRANT USAGE ON SCHEMA %[2]s TO %[1]s;\nGRANT SELECT ON %[3]s TO %[1]s;\n",
		role, schema, strings.Join(qualified(schema, p.Views), ", "))
	return b.String()
}

// views returns the statements that make the views of a perturbed database, each over tables of the server, with comments.
func (s *Stage) views(p *Perturbed) (string, error) {
	c, err := readContent(p.Content)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range p.Tables {
		v, comment, err := s.viewOf(c, t)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.Schema, err)
		}
		name := sqldata.QuoteName(p.Schema) + "." + sqldata.QuoteName(t.Name)
		fmt.Fprintf(&b, "CREATE VIEW %s AS %s;\n", name, v.Select())
		if comment != "" {
			fmt.Fprintf(&b, "COMMENT ON VIEW %s IS %s;\n", name, quoteText(comment))
		}
		for _, c := range t.Columns {
			if c.Comment != "" {
				fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;\n", name, sqldata.QuoteName(c.Name), quoteText(c.Comment))
			}
		}
	}
	return b.String(), nil
}

// viewOf returns the view for table t of a perturbed database, with its columns in the order of t, and the comment for it. The view
// selects from the table of that name in c, which has the changed tables only, or else from the server's table. The comment is that of the
// server's table, "" if t is made of none.
func (s *Stage) viewOf(c *content, t sqldata.Table) (*prefix.Table, string, error) {
	// A table without columns in c only hides a name.
	changed := slices.IndexFunc(c.tables, func(v prefix.Table) bool { return strings.EqualFold(v.Name, t.Name) && len(v.Columns) > 0 })
	base := t.Name // the table of the server that t is made of; "" for none
	if changed >= 0 {
		base = c.tables[changed].Of
	}
	original := slices.IndexFunc(s.tables, func(other table) bool { return strings.EqualFold(other.Name, base) })
	if original < 0 && base != "" {
		return nil, "", fmt.Errorf("the server has no table %s, expected one that the role may read and finds without the name of its schema", base)
	}
	var v prefix.Table
	var comment string
	if original >= 0 {
		v, comment = prefix.Of(&s.tables[original].Table, s.tables[original].schema), s.tables[original].Comment
	}
	if changed >= 0 {
		v = c.tables[changed]
	}
	all := v.Columns
	v.Columns = nil
	for _, wanted := range t.Columns {
		k := slices.IndexFunc(all, func(c prefix.Column) bool { return strings.EqualFold(c.Name, wanted.Name) })
		if k < 0 {
			return nil, "", fmt.Errorf("the table %s has no column %s that the role may read, expected it as the build has it", base, wanted.Name)
		}
		v.Columns = append(v.Columns, all[k])
	}
	return &v, comment, nil
}

// Run runs a transaction of [Stage.Script] or [Stage.DropScript].
func (s *Stage) Run(ctx context.Context, script string) error {
	pooled, err := s.server.pool.Acquire(ctx)
	if err != nil {
		return cause(ctx, sqldata.Limits{}, err)
	}
	defer pooled.Release() // closes a connection that a failure leaves in a transaction
	// Transactions of the session are read only by default: see settings.
	_, err = pooled.Conn().PgConn().Exec(ctx, strings.Replace(script, "BEGIN;", "BEGIN READ WRITE;", 1)).ReadAll()
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return errors.New(oneLine(strings.TrimSpace(refused.Message + " (SQLSTATE " + refused.Code + ") " + refused.Detail)))
	}
	if err != nil {
		return cause(ctx, sqldata.Limits{}, err)
	}
	return nil
}
