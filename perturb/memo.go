package perturb

import "sync"

// Memo stores what one perturbation computes for an example, so that the others of the same unit need not compute it
// again. The driver makes one for each unit and drops it with the unit. A Memo may be used concurrently; a nil Memo
// stores nothing.
type Memo struct {
	mutex  sync.Mutex
	values map[any]any
}

// maxMemo is the number of values at which a Memo drops all that it stores: a unit may have any number of examples.
const maxMemo = 1 << 12

// Memoize returns the value that m stores under a key. If there is none, it calls compute and stores what it returns,
// unless compute fails. Keys are of a type that the caller's package does not export.
func Memoize[T any](m *Memo, key any, compute func() (T, error)) (T, error) {
	if m == nil {
		return compute()
	}
	m.mutex.Lock()
	stored, ok := m.values[key].(T)
	m.mutex.Unlock()
	if ok {
		return stored, nil
	}
	value, err := compute()
	if err != nil {
		return value, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.values == nil || len(m.values) >= maxMemo {
		m.values = map[any]any{}
	}
	m.values[key] = value
	return value, nil
}
