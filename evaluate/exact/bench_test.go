package exact

import "testing"

// BenchmarkJudge judges all prediction files in parity mode.
func BenchmarkJudge(b *testing.B) {
	golds := golds(b)
	var preds [][]string
	n := 0
	for _, file := range predictionFiles {
		list := predictions(b, file)
		preds = append(preds, list)
		n += len(list)
	}
	judge := func() {
		for _, list := range preds {
			for i, pred := range list {
				golds[i].Judge(pred, false)
			}
		}
	}
	b.Run("serial", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			judge()
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "predictions/s")
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				judge()
			}
		})
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "predictions/s")
	})
}
