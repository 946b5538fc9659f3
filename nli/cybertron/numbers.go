package cybertron

import (
	"encoding/binary"
	"math"
)

// storageWidth maps the type of a storage, by its name in torch.save or in safetensors, to the size of
// its numbers in bytes.
var storageWidth = map[string]int64{
	"torch.FloatStorage": 4, "torch.DoubleStorage": 8, "torch.HalfStorage": 2, "torch.BFloat16Storage": 2,
	"torch.LongStorage": 8, "torch.IntStorage": 4, "torch.ShortStorage": 2, "torch.CharStorage": 1,
	"torch.ByteStorage": 1, "torch.BoolStorage": 1,
	"F32": 4, "F64": 8, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1,
}

// decoders maps the types of storages that are read to a decoder of their little-endian numbers.
var decoders = map[string]func(raw []byte) float32{
	"torch.FloatStorage": single, "torch.HalfStorage": half, "torch.BFloat16Storage": brainFloat,
	"F32": single, "F16": half, "BF16": brainFloat,
}

// single decodes a float32.
func single(raw []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(raw)) }

// brainFloat decodes a bfloat16, the upper half of a float32.
func brainFloat(raw []byte) float32 {
	return math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw)) << 16)
}

// half decodes a float16: a sign, five bits of exponent and ten of fraction.
func half(raw []byte) float32 {
	bits := binary.LittleEndian.Uint16(raw)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	value := math.Ldexp(1024+fraction, exponent-25) // 1.fraction × 2^(exponent-15), with the fraction as an integer
	switch {
	case exponent == 0: // subnormal: without the leading 1
		value = math.Ldexp(fraction, -24)
	case exponent == 0x1f && fraction == 0:
		value = math.Inf(1)
	case exponent == 0x1f:
		value = math.NaN()
	}
	if bits>>15 == 1 {
		value = -value
	}
	return float32(value)
}
