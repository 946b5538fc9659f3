//go:build quality

package shared

const quality = true
