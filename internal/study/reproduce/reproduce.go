// Package reproduce runs the experiments of the papers that this program implements, each by the commands that anyone can
// run, and prints a table of what they gave beside the paper's own figures.
//
// An experiment is a file of experiments/: its commands, with the files that their output goes to, and its rows, with the
// place of each figure in those files. It computes nothing itself.
package reproduce

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

//go:embed experiments/*.json
var files embed.FS

// Experiment is a table of a paper, with the commands that give ours.
type Experiment struct {
	Name    string            `json:"-"`
	Title   string            `json:"title"`
	Needs   []string          `json:"needs"`   // the inputs that its commands name, as "data" in "{data}"
	Files   map[string]string `json:"files"`   // texts that its commands read, by the file's name in the folder
	Steps   []Step            `json:"steps"`   // run one after the other; experiments share those that are the same
	Columns []string          `json:"columns"` // of a row's figures
	Rows    []Row             `json:"rows"`
	Notes   []string          `json:"notes"` // why ours and the paper's may differ
}

// Step is a command of this program.
type Step struct {
	Command string `json:"command"`      // with {data} and the like in the place of inputs, {out} in that of the folder
	To      string `json:"to,omitempty"` // the file that its output goes to; "" if the command writes files itself
}

// Row is a row of the table. A figure is a file of a step, a form ("%" for a share in percent, "#" for a number) and a
// path of gjson within the file, with blanks between them. A file of tab-separated values with a header is read as a list
// of objects.
type Row struct {
	What    string   `json:"what"`
	Figures []string `json:"figures"`
	Paper   string   `json:"paper"`
}

// All returns the experiments, by name.
func All() ([]*Experiment, error) {
	names, err := fs.Glob(files, "experiments/*.json")
	if err != nil {
		return nil, err
	}
	var all []*Experiment
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		e := &Experiment{Name: strings.TrimSuffix(path.Base(name), ".json")}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(e); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// Find returns the experiment of a name.
func Find(name string) (*Experiment, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(e *Experiment) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	names := lists.Map(all, func(e *Experiment) string { return e.Name })
	return nil, fmt.Errorf("%q: expected one of %s", name, strings.Join(names, ", "))
}

// Inputs are the values for "{NAME}" in commands, by name. Only a NAME that is a whole argument, "{NAME}", may have several values.
type Inputs map[string][]string

// Flag returns the flag of the command reproduce by which a user gives an input: "--data" for data, "--input NAME=PATH" for a file of
// a paper's release or of a model's answers.
func Flag(need string) string {
	if slices.Contains([]string{"data", "train", "pred"}, need) {
		return "--" + need
	}
	return "--input " + need + "=PATH"
}

// fill returns the arguments that an argument of a command becomes: "{pred}" becomes all values of the input pred; in "{data}/dev.json"
// the one value of data is filled in.
func (in Inputs) fill(arg string) []string {
	for name, values := range in {
		switch place := "{" + name + "}"; {
		case arg == place:
			return values
		case len(values) == 1:
			arg = strings.ReplaceAll(arg, place, values[0])
		}
	}
	return []string{arg}
}

// Runner runs experiments. What their commands write is in Dir.
type Runner struct {
	Dir     string
	Inputs  Inputs
	Global  []string                                                         // arguments of all commands
	Command func(ctx context.Context, args []string, stdout io.Writer) error // runs a command of this program
	Note    func(string)                                                     // receives each command before it is run
}

// commands returns the arguments of an experiment's commands, with the inputs filled in. A missing input is an error.
func (r *Runner) commands(e *Experiment) ([][]string, error) {
	for _, need := range e.Needs {
		if len(r.Inputs[need]) == 0 {
			return nil, fmt.Errorf("%s: expected %s, which its commands read", e.Name, Flag(need))
		}
	}
	return lists.Map(e.Steps, func(s Step) []string {
		var args []string
		for _, field := range strings.Fields(s.Command) {
			args = append(args, r.Inputs.fill(strings.ReplaceAll(field, "{out}", r.Dir))...)
		}
		return append(args, r.Global...)
	}), nil
}

// Lines returns the command lines of an experiment for a shell, with their output redirected to its files.
func (r *Runner) Lines(e *Experiment) ([]string, error) {
	commands, err := r.commands(e)
	lines := lists.Map(commands, commandLine)
	for i := range lines {
		if to := e.Steps[i].To; to != "" {
			lines[i] += " > " + filepath.Join(r.Dir, to)
		}
	}
	return lines, err
}

// commandLine returns the arguments of a command as a line that begins with "tabperturb".
func commandLine(args []string) string { return "tabperturb " + strings.Join(args, " ") }

// inputsFile stores the inputs of all commands that were run. A command that is done leaves a file with the name doneFile, which has
// its hash.
const inputsFile, doneFile = "inputs.json", "done-%x"

// Run writes the files of an experiment, runs those of its commands that are not done yet, and returns its table. It returns an error if
// the folder holds results for other inputs.
func (r *Runner) Run(ctx context.Context, e *Experiment) (*Result, error) {
	commands, err := r.commands(e)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := r.sameInputs(e); err != nil {
		return nil, err
	}
	for name, text := range e.Files {
		if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	for i, args := range commands {
		if err := r.step(ctx, e.Steps[i].To, args); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.Name, commandLine(args), err)
		}
	}
	return e.read(r.Dir, lists.Map(commands, commandLine))
}

// sameInputs stores the inputs of an experiment in the folder. It returns an error if an experiment was run there with other values of
// an input, as experiments share the output of commands.
func (r *Runner) sameInputs(e *Experiment) error {
	file := filepath.Join(r.Dir, inputsFile)
	stored := Inputs{}
	switch data, err := os.ReadFile(file); { // there is none before the first run
	case err == nil:
		if err := json.Unmarshal(data, &stored); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	case !os.IsNotExist(err):
		return err
	}
	inputs := Inputs{"split": r.Inputs["split"], "all": r.Global} // "all" has the flags of all commands
	for _, need := range e.Needs {
		inputs[need] = r.Inputs[need]
	}
	for name, values := range inputs {
		if old, ok := stored[name]; ok && !slices.Equal(old, values) {
			return fmt.Errorf("%s: was made with %q, expected %q; --out names another folder", file, old, values)
		}
		stored[name] = values
	}
	return outdir.WriteFile(file, func(w io.Writer) error { return json.NewEncoder(w).Encode(stored) })
}

// step runs a command unless it is done, with its output in the file to ("" if the command writes files itself). A command is done once
// there is a file whose name has the hash of its command line.
func (r *Runner) step(ctx context.Context, to string, args []string) error {
	hash := sha256.Sum256([]byte(commandLine(args)))
	done := filepath.Join(r.Dir, fmt.Sprintf(doneFile, hash[:6]))
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	r.Note(commandLine(args))
	var err error
	if to == "" {
		err = r.Command(ctx, args, io.Discard)
	} else {
		err = outdir.WriteFile(filepath.Join(r.Dir, to), func(w io.Writer) error { return r.Command(ctx, args, w) })
	}
	if err != nil {
		return err
	}
	return outdir.WriteFile(done, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, commandLine(args))
		return err
	})
}

// Result is the table of an experiment that was run.
type Result struct {
	Experiment string      `json:"experiment"`
	Title      string      `json:"title"`
	Commands   []string    `json:"commands"`
	Columns    []string    `json:"columns"`
	Rows       []ResultRow `json:"rows"`
	Notes      []string    `json:"notes"`
}

// ResultRow is a row of the table. A figure that the commands did not give is nil.
type ResultRow struct {
	What    string     `json:"what"`
	Figures []*float64 `json:"figures"`
	Paper   string     `json:"paper"`
	forms   []string
}

// read returns the table of the experiment with the figures of the files in a folder. Each file is read once.
func (e *Experiment) read(dir string, commands []string) (*Result, error) {
	result := &Result{Experiment: e.Name, Title: e.Title, Commands: commands, Columns: e.Columns, Notes: e.Notes}
	files := map[string]string{} // their JSON, by name
	for _, row := range e.Rows {
		if len(row.Figures) != len(e.Columns) {
			return nil, fmt.Errorf("%s: row %q has %d figures, expected %d, one a column", e.Name, row.What, len(row.Figures), len(e.Columns))
		}
		out := ResultRow{What: row.What, Paper: row.Paper}
		for _, figure := range row.Figures {
			fields := strings.SplitN(figure, " ", 3)
			if len(fields) != 3 {
				return nil, fmt.Errorf("%s: figure %q, expected a file, a form and a path", e.Name, figure)
			}
			file, form, jsonPath := fields[0], fields[1], fields[2]
			if _, ok := files[file]; !ok {
				var err error
				if files[file], err = readJSON(dir, file); err != nil {
					return nil, err
				}
			}
			out.forms = append(out.forms, form)
			out.Figures = append(out.Figures, number(gjson.Get(files[file], jsonPath)))
		}
		result.Rows = append(result.Rows, out)
	}
	return result, nil
}

// readJSON returns a file in a folder as JSON; tab-separated values become a list of objects.
func readJSON(dir, file string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil || path.Ext(file) != ".tsv" {
		return string(data), err
	}
	list, err := objects(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// objects returns tab-separated values with a header as a JSON list with an object for each line. Fields that are numbers become JSON
// numbers; fields beyond the header are left out.
func objects(data []byte) (string, error) {
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	head := strings.Split(lines[0], "\t")
	list := []map[string]any{}
	for _, line := range lines[1:] {
		object := map[string]any{}
		for i, field := range strings.Split(line, "\t") {
			if i >= len(head) {
				break
			}
			if x, err := strconv.ParseFloat(field, 64); err == nil {
				object[head[i]] = x
			} else {
				object[head[i]] = field
			}
		}
		list = append(list, object)
	}
	out, err := json.Marshal(list)
	return string(out), err
}

// number returns the number of a JSON value; nil if it is none.
func number(v gjson.Result) *float64 {
	if v.Type != gjson.Number {
		return nil
	}
	return &v.Num
}

// WriteText writes tables, with the paper's figures and the reasons why they may differ.
func WriteText(w io.Writer, results []*Result) error {
	return (&table.Page{Tables: lists.Map(results, (*Result).table)}).Write(w, "text")
}

// table returns the table for people.
func (r *Result) table() *table.Table {
	t := table.New(r.Title, append(append([]string{""}, r.Columns...), "paper")...)
	t.Columns[len(t.Columns)-1].Numeric = false // the paper's figures are one text
	t.Notes = r.Notes
	for _, row := range r.Rows {
		cells := []any{row.What}
		for i, f := range row.Figures {
			cells = append(cells, text(f, row.forms[i]))
		}
		t.Add(append(cells, row.Paper)...)
	}
	return t
}

// text returns a figure as text: "12.3" for .123 in the form "%", a whole number without decimals, any other with two; "-" for nil.
func text(f *float64, form string) string {
	switch {
	case f == nil:
		return "-"
	case form == "%":
		return stats.Number(*f).Percent()
	case *f == float64(int64(*f)):
		return strconv.FormatInt(int64(*f), 10)
	}
	return strconv.FormatFloat(*f, 'f', 2, 64)
}
