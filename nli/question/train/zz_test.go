package train
import ("testing";"fmt";"os";"context";"time";"math/rand/v2";"math";"github.com/tabperturb/tabperturb/nli/question")
func TestZ(t *testing.T){
 d:="/work/shared/data/"
 t0:=time.Now()
 w,r,err:=Train(context.Background(),Sources{d+"spider/train_spider_min.jsonl.gz",d+"spider-syn/train_spider.json.gz",d+"spider/tables.json"},Options{Seed:1})
 if err!=nil{t.Fatal(err)}
 fmt.Println(time.Since(t0),len(w)); fmt.Println(r); fmt.Println(metric(r))
 os.WriteFile("../weights.json.gz",w,0o644)
 m,err:=question.Load(w); if err!=nil{t.Fatal(err)}
 show(r)
 t0=time.Now()
 ev,err:=Evaluate(context.Background(),m,Sources{d+"spider/dev.json",d+"spider-syn/dev.json",d+"spider/tables.json"},1)
 if err!=nil{t.Fatal(err)}
 fmt.Println("DEV",time.Since(t0),ev); curve(ev)
}
func curve(r *Report){
 for _,b:=range []float64{0,.25,.5,.75,1,1.25,1.5,2} { cut:=1/(1+math.Exp(b)); fmt.Printf("bias +%.2f:",b)
  for _,k:=range []string{Synonyms,SameSQL,Both,OtherSQL,"F","~F","column","table"} { n,ok:=0.,0.; for _,x:=range r.All { m:=x.Kind==k; if k=="F"{m=x.Class>0&&x.Kind[0]!='~'&&x.Kind!=OtherSQL&&x.Kind!=RandomSQL}; if k=="~F"{m=x.Kind[0]=='~'}; if m {n++; if (x.Probability>=cut)==(x.Class==0){ok++}}}; fmt.Printf(" %s %.3f",k,ok/n)}; fmt.Println()}
}
func metric(r *Report) string {
 rate:=func(cut float64, f func(i int,x Wrong)bool) float64 { n,ok:=0.,0.; for i,x:=range r.All { if f(i,x) {n++; if (x.Probability>=cut)==(x.Class==0){ok++}}}; return ok/n}
 out:=""
 for _,target:=range []float64{.90,.93} {
 lo,hi:=0.,1.
 for range 30 { c:=(lo+hi)/2; m:=(rate(c,func(i int,x Wrong)bool{return x.Kind==Synonyms&&i%2==0})+rate(c,func(i int,x Wrong)bool{return x.Kind==SameSQL}))/2; if m>target {lo=c} else {hi=c}}
 k:=func(n string)func(int,Wrong)bool{return func(_ int,x Wrong)bool{return x.Kind==n}}
 out+=fmt.Sprintf("@%.2f cut %.2f syn %.3f synmasked %.3f same %.3f near %.3f F %.3f ~F %.3f col %.3f tab %.3f lostcol %.3f ~col %.3f ~tab %.3f\n",target,lo,rate(lo,k(Synonyms)),rate(lo,func(i int,x Wrong)bool{return x.Kind==Synonyms&&i%2==0}),rate(lo,k(SameSQL)),rate(lo,k(OtherSQL)),rate(lo,func(_ int,x Wrong)bool{return x.Class>0&&x.Kind[0]!='~'&&x.Kind!=OtherSQL&&x.Kind!=RandomSQL}),rate(lo,func(_ int,x Wrong)bool{return x.Kind[0]=='~'}),rate(lo,k("column")),rate(lo,k("table")),rate(lo,k("lost column")),rate(lo,k("~column")),rate(lo,k("~table")))
 }
 return out
}
func TestTune(t *testing.T){
 d:="/work/shared/data/"
 src:=Sources{d+"spider/train_spider_min.jsonl.gz",d+"spider-syn/train_spider.json.gz",d+"spider/tables.json"}
 for _,o:=range []Options{{},{Epochs:12,Units:48,Decay:.05}} {
 o.Seed=1
 o.Nets=max(o.Nets,2)
 t0:=time.Now()
 _,r,err:=Train(context.Background(),src,o)
 if err!=nil{t.Fatal(err)}
 fmt.Println(o,time.Since(t0)); fmt.Println(metric(r))
 }
}
func show(r *Report){
 n:=map[string][]Wrong{}; for _,x:=range r.Wrong { n[x.Kind]=append(n[x.Kind],x)}
 rng:=rand.New(rand.NewPCG(1,3))
 for _,k:=range []string{SameSQL,Synonyms,OtherSQL,"column","table","lost condition","lost column","number","value","~number","~superlative","negation","~comparison","~aggregate","~lost column","~value","swapped values","~column"}{ fmt.Println("==",k); for range 14 { if len(n[k])==0{break}; x:=n[k][rng.IntN(len(n[k]))]; fmt.Printf("  %.2f %s: %s ||| %s\n",x.Probability,x.DB,x.A,x.B)}}
}
func TestDev(t *testing.T){
 d:="/work/shared/data/"
 m:=question.Default()
 ev,err:=Evaluate(context.Background(),m,Sources{d+"spider/dev.json",d+"spider-syn/dev.json",d+"spider/tables.json"},1)
 if err!=nil{t.Fatal(err)}
 show(ev)
}
