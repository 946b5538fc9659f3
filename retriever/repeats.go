package retriever

import "slices"

// repeats knows which keys of signatures several tables have: only those tell of
// near-duplicates. They take 8 bytes each while they are collected, and next to nothing
// once they are settled, as most have one table alone.
type repeats struct {
	keys [256][]uint64 // by the first byte, so that none grows large; once settled in order
	seen [256][]bool   // the keys of tables that are kept
}

func (r *repeats) add(s signature) {
	for _, key := range s {
		r.keys[key>>56] = append(r.keys[key>>56], key)
	}
}

// settle forgets the keys that one table alone has.
func (r *repeats) settle() {
	for i, keys := range r.keys {
		slices.Sort(keys)
		var repeated []uint64
		for j, key := range keys {
			if j > 0 && key == keys[j-1] && (len(repeated) == 0 || repeated[len(repeated)-1] != key) {
				repeated = append(repeated, key)
			}
		}
		r.keys[i], r.seen[i] = repeated, make([]bool, len(repeated))
	}
}

// of returns what is known of a repeated key, nil for another.
func (r *repeats) of(key uint64) *bool {
	i := key >> 56
	if j, ok := slices.BinarySearch(r.keys[i], key); ok {
		return &r.seen[i][j]
	}
	return nil
}

// new tells whether no table before has a key of a signature, and takes those of one that is.
func (r *repeats) new(s signature) bool {
	for _, key := range s {
		if seen := r.of(key); seen != nil && *seen {
			return false
		}
	}
	for _, key := range s {
		if seen := r.of(key); seen != nil {
			*seen = true
		}
	}
	return true
}
