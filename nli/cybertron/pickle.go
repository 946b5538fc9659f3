package cybertron

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// unpickler reads the pickles that torch.save writes for a state dict: protocol
// 2, with dictionaries, lists, tuples, strings and numbers, storages by
// persistent id, and calls of the three functions that rebuild tensors and
// ordered dictionaries. Anything else is an error. It calls no other function that a file
// names, and allocates no length that a file states, as general unpicklers do.
//
// Messages name the types of values, not the values: a short pickle can nest one tuple many
// times, which would print without end.
//
// Values are nil, bool, int64, float64, string, tuple, *list, *dict, global,
// storage and tensor.
type unpickler struct {
	data  []byte
	pos   int            // of the next byte
	stack []any          // values of unfinished operations
	marks []int          // heights of the stack at MARK operations
	memo  map[uint32]any // values by the number that the pickle gives them
}

type (
	tuple  []any
	list   struct{ items []any }
	dict   struct{ keys, values []any }
	global string // module.name

	// storage is a run of numbers elsewhere in the file.
	storage struct {
		kind string // such as FloatStorage
		key  string
		size int64 // numbers, not bytes
	}
	// tensor is a view of a storage; offsets, sizes and strides count numbers.
	tensor struct {
		storage      storage
		offset       int64
		size, stride []int64
	}
)

// next reads one pickle and returns its value. The position is then after it.
func (u *unpickler) next() (any, error) {
	u.stack, u.marks, u.memo = nil, nil, map[uint32]any{}
	for {
		start := u.pos
		op, err := u.take(1)
		if err != nil {
			return nil, err
		}
		if op[0] == '.' { // STOP
			return u.pop()
		}
		if err := u.step(op[0]); err != nil {
			return nil, fmt.Errorf("pickle byte %d: %w", start, err)
		}
	}
}

// step executes one operation of a pickle.
func (u *unpickler) step(op byte) error {
	switch op {
	case 0x80: // PROTO
		b, err := u.take(1)
		if err == nil && b[0] != 2 {
			err = fmt.Errorf("protocol %d, expected 2", b[0])
		}
		return err
	case '(': // MARK
		u.marks = append(u.marks, len(u.stack))
		return nil
	case 'N', 0x88, 0x89, 'K', 'M', 'J', 0x8a, 'G', 'X', 'U', 'c': // constants
		v, err := u.constant(op)
		u.push(v)
		return err
	case '}': // EMPTY_DICT
		u.push(&dict{})
	case ']': // EMPTY_LIST
		u.push(&list{})
	case ')': // EMPTY_TUPLE
		u.push(tuple{})
	case 0x85, 0x86, 0x87, 't': // TUPLE1, TUPLE2, TUPLE3, TUPLE
		return u.tuple(op)
	case 'q': // BINPUT
		return u.storeMemo(1)
	case 'r': // LONG_BINPUT
		return u.storeMemo(4)
	case 'h': // BINGET
		return u.pushMemo(1)
	case 'j': // LONG_BINGET
		return u.pushMemo(4)
	case 'a', 'e', 's', 'u': // APPEND, APPENDS, SETITEM, SETITEMS
		return u.appendItems(op)
	case 'Q', 'R', 'b': // BINPERSID, REDUCE, BUILD
		return u.build(op)
	default:
		return fmt.Errorf("operation %#02x, expected one that torch.save uses", op)
	}
	return nil
}

// constant reads the constant that an operation pushes: a number, a string, a truth value, None or the
// name of a function.
func (u *unpickler) constant(op byte) (any, error) {
	switch op {
	case 'N':
		return nil, nil
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		return op == 0x88, nil
	case 'K', 'M', 'J', 'G': // BININT1, BININT2, BININT, BINFLOAT
		width := map[byte]int{'K': 1, 'M': 2, 'J': 4, 'G': 8}[op]
		b, err := u.take(width)
		if err != nil {
			return nil, err
		}
		switch op {
		case 'K':
			return int64(b[0]), nil
		case 'M':
			return int64(binary.LittleEndian.Uint16(b)), nil
		case 'J':
			return int64(int32(binary.LittleEndian.Uint32(b))), nil
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
	case 0x8a: // LONG1
		return u.longInteger()
	case 'U', 'X': // SHORT_BINSTRING, BINUNICODE: a length of 1 or 4 bytes, then the text
		size := []byte{0, 0, 0, 0}
		b, err := u.take(map[byte]int{'U': 1, 'X': 4}[op])
		copy(size, b)
		if err == nil {
			b, err = u.take(int(binary.LittleEndian.Uint32(size)))
		}
		return string(b), err
	default: // GLOBAL
		module, err := u.readLine()
		if err != nil {
			return nil, err
		}
		name, err := u.readLine()
		return global(module + "." + name), err
	}
}

// longInteger reads a little-endian integer in two's complement as an int64. A longer one, which is
// the magic number of old checkpoints, becomes its hexadecimal digits.
func (u *unpickler) longInteger() (any, error) {
	n, err := u.take(1)
	if err != nil {
		return nil, err
	}
	b, err := u.take(int(n[0]))
	if err != nil || len(b) == 0 {
		return int64(0), err
	}
	if len(b) > 8 {
		digits := ""
		for _, x := range b {
			digits = fmt.Sprintf("%02x", x) + digits
		}
		return digits, nil
	}
	v := int64(int8(b[len(b)-1]))
	for i := len(b) - 2; i >= 0; i-- {
		v = v<<8 | int64(b[i])
	}
	return v, nil
}

// tuple executes TUPLE1, TUPLE2, TUPLE3 or TUPLE: it pushes a tuple of the 1, 2 or 3 topmost values, or of those above the
// last mark.
func (u *unpickler) tuple(op byte) error {
	var items []any
	var err error
	if op == 't' {
		items, err = u.popMark()
	} else {
		items, err = u.popN(int(op-0x85) + 1)
	}
	u.push(append(tuple{}, items...))
	return err
}

// memoIndex reads an index of the memo, of width bytes.
func (u *unpickler) memoIndex(width int) (uint32, error) {
	b, err := u.take(width)
	if err != nil {
		return 0, err
	}
	var index [4]byte
	copy(index[:], b)
	return binary.LittleEndian.Uint32(index[:]), nil
}

// storeMemo stores the topmost value of the stack in the memo, at the index that follows in width bytes.
func (u *unpickler) storeMemo(width int) error {
	i, err := u.memoIndex(width)
	if err != nil {
		return err
	}
	v, err := u.pop()
	u.memo[i] = v
	u.push(v)
	return err
}

// pushMemo pushes the value of the memo at the index that follows in width bytes.
func (u *unpickler) pushMemo(width int) error {
	i, err := u.memoIndex(width)
	if err != nil {
		return err
	}
	v, ok := u.memo[i]
	if !ok {
		return fmt.Errorf("memo %d is empty", i)
	}
	u.push(v)
	return nil
}

// appendItems executes APPEND, APPENDS, SETITEM or SETITEMS: it appends the topmost values to the list
// or dictionary below them on the stack.
func (u *unpickler) appendItems(op byte) error {
	var items []any
	var err error
	switch op {
	case 'a':
		items, err = u.popN(1)
	case 's':
		items, err = u.popN(2)
	default:
		items, err = u.popMark()
	}
	if err != nil {
		return err
	}
	target, err := u.pop()
	if err != nil {
		return err
	}
	switch t := target.(type) {
	case *list:
		t.items = append(t.items, items...)
	case *dict:
		if len(items)%2 != 0 || op == 'a' || op == 'e' { // APPEND and APPENDS are for lists only
			return fmt.Errorf("%d values for a dictionary, expected pairs", len(items))
		}
		for i := 0; i < len(items); i += 2 {
			t.keys, t.values = append(t.keys, items[i]), append(t.values, items[i+1])
		}
	default:
		return fmt.Errorf("values for a %T, expected a list or dictionary", target)
	}
	u.push(target)
	return nil
}

// build executes BINPERSID, REDUCE or BUILD: it pushes the storage of a persistent id, the result of a call, or the object
// without the state that BUILD would set, which only holds torch's version.
func (u *unpickler) build(op byte) error {
	if op == 'Q' { // BINPERSID
		id, err := u.pop()
		if err != nil {
			return err
		}
		s, err := newStorage(id)
		u.push(s)
		return err
	}
	two, err := u.popN(2)
	if err != nil {
		return err
	}
	if op == 'b' { // BUILD
		u.push(two[0])
		return nil
	}
	v, err := rebuild(two[0], two[1])
	u.push(v)
	return err
}

// rebuild returns the result of one of the three functions that state dicts use.
func rebuild(f, arguments any) (any, error) {
	args, ok := arguments.(tuple)
	if !ok {
		return nil, fmt.Errorf("call with a %T, expected a tuple", arguments)
	}
	switch {
	case f == global("collections.OrderedDict") && len(args) == 0:
		return &dict{}, nil
	case f == global("torch._utils._rebuild_tensor_v2") && len(args) >= 4:
		return newTensor(args)
	case f == global("torch._utils._rebuild_parameter") && len(args) >= 1:
		return args[0], nil
	}
	name, _ := f.(global)
	return nil, fmt.Errorf("call of %q with %d arguments, expected one that rebuilds a tensor", name, len(args))
}

// newStorage returns the storage that a persistent id names. PyTorch writes the tuple ("storage", class such as
// torch.FloatStorage, key, location, size), and old versions a sixth element: None, or a view of another storage,
// which is not supported.
func newStorage(id any) (storage, error) {
	t, ok := id.(tuple)
	isStorage := ok && len(t) >= 5 && t[0] == "storage"
	if !isStorage || len(t) > 5 && t[5] != nil {
		return storage{}, fmt.Errorf("persistent id is a %T, expected the tuple of a storage", id)
	}
	class, ok1 := t[1].(global)
	key, ok2 := t[2].(string)
	size, ok3 := t[4].(int64)
	if hasTypes := ok1 && ok2 && ok3; !hasTypes || size < 0 {
		return storage{}, fmt.Errorf("persistent id of %T, %T and %T, expected class, key and size of a storage", t[1], t[2], t[4])
	}
	return storage{kind: string(class), key: key, size: size}, nil
}

// newTensor returns the tensor that the arguments of _rebuild_tensor_v2 describe: storage, offset, size and stride. Further
// arguments matter for training only.
func newTensor(args tuple) (tensor, error) {
	s, ok1 := args[0].(storage)
	offset, ok2 := args[1].(int64)
	size, ok3 := integers(args[2])
	stride, ok4 := integers(args[3])
	hasTypes := ok1 && ok2 && ok3 && ok4
	if !hasTypes || offset < 0 || len(size) != len(stride) {
		return tensor{}, fmt.Errorf("tensor of %T, %T, %T and %T, expected storage, offset, size and stride", args[0], args[1], args[2], args[3])
	}
	return tensor{storage: s, offset: offset, size: size, stride: stride}, nil
}

// integers returns the numbers of a tuple of integers, or false if v is no such tuple or a number is negative.
func integers(v any) ([]int64, bool) {
	t, ok := v.(tuple)
	if !ok {
		return nil, false
	}
	out := make([]int64, len(t))
	for i, x := range t {
		if out[i], ok = x.(int64); !ok || out[i] < 0 {
			return nil, false
		}
	}
	return out, true
}

// push puts a value on the stack.
func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

// pop removes the topmost value, which must be above the last mark.
func (u *unpickler) pop() (any, error) {
	v, err := u.popN(1)
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// popN pops the n topmost values, which must be above the last mark.
func (u *unpickler) popN(n int) ([]any, error) {
	bottom := 0
	if len(u.marks) > 0 {
		bottom = u.marks[len(u.marks)-1]
	}
	if len(u.stack)-n < bottom {
		return nil, fmt.Errorf("stack holds %d values, expected %d", len(u.stack)-bottom, n)
	}
	values := u.stack[len(u.stack)-n:]
	u.stack = u.stack[:len(u.stack)-n]
	return values, nil
}

// popMark removes the last mark and pops the values above it.
func (u *unpickler) popMark() ([]any, error) {
	if len(u.marks) == 0 {
		return nil, fmt.Errorf("no mark on the stack")
	}
	values, err := u.popN(len(u.stack) - u.marks[len(u.marks)-1])
	u.marks = u.marks[:len(u.marks)-1]
	return values, err
}

// take returns the next n bytes.
func (u *unpickler) take(n int) ([]byte, error) {
	if n < 0 || n > len(u.data)-u.pos {
		return nil, fmt.Errorf("pickle ends at byte %d, expected %d more", len(u.data), n)
	}
	b := u.data[u.pos : u.pos+n]
	u.pos += n
	return b, nil
}

// readLine returns the bytes up to the next newline.
func (u *unpickler) readLine() (string, error) {
	line, _, ok := bytes.Cut(u.data[u.pos:], []byte("\n"))
	if !ok {
		_, err := u.take(len(line) + 1) // always an error
		return "", err
	}
	u.pos += len(line) + 1
	return string(line), nil
}
