package sqldata

// Kept lists what must not change because a view or a trigger depends on it: after the change a view or
// trigger would fail, or a view would have other columns.
type Kept struct {
	Columns []KeptColumn // columns that must keep their name
	Tables  []string     // tables that cannot get another column
	Views   []string     // all views; they cannot be changed
	Read    []string     // tables that cannot be dropped
}

// KeptColumn is a column that must keep its name for what depends on it.
type KeptColumn struct{ Table, Column, By string }

// What columns are kept by.
const (
	ByView    = "views"
	ByTrigger = "triggers"
)
