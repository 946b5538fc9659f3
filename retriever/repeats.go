package retriever

import "slices"

// repeats finds the tables whose signature shares a key with an earlier table. First add stores every
// signature, which takes 8 bytes a key. Then dropUnique drops the keys of only one table,
// which are most. Then the caller calls isNew for each table in order.
type repeats struct {
	keys [256][]uint64 // by their first byte, so that no slice grows large; sorted by dropUnique
	seen [256][]bool   // by key: isNew accepted a table with the key
}

// add adds the keys of a table.
func (r *repeats) add(s signature) {
	for _, key := range s {
		r.keys[key>>56] = append(r.keys[key>>56], key)
	}
}

// dropUnique drops the keys that only one table has, and makes a mark for each other key: not seen yet.
func (r *repeats) dropUnique() {
	for i, keys := range r.keys {
		slices.Sort(keys)
		var repeated []uint64
		for j, key := range keys {
			if j > 0 && key == keys[j-1] {
				repeated = append(repeated, key)
			}
		}
		repeated = slices.Clip(slices.Compact(repeated))
		r.keys[i], r.seen[i] = repeated, make([]bool, len(repeated))
	}
}

// seenKey returns the mark in r.seen of a key that two or more tables have; nil for any other key.
func (r *repeats) seenKey(key uint64) *bool {
	i := key >> 56
	if j, ok := slices.BinarySearch(r.keys[i], key); ok {
		return &r.seen[i][j]
	}
	return nil
}

// isNew reports whether a table with the signature s shares no key with the tables that isNew accepted before. It then
// accepts the table, by marking its keys as seen. A key that only one table has needs no mark (seenKey returns nil).
func (r *repeats) isNew(s signature) bool {
	for _, key := range s {
		if seen := r.seenKey(key); seen != nil && *seen {
			return false
		}
	}
	for _, key := range s {
		if seen := r.seenKey(key); seen != nil {
			*seen = true
		}
	}
	return true
}
