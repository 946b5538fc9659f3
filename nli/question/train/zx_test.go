package train
import ("testing";"context";"github.com/tabperturb/tabperturb/nli/question")
func TestTrainErr(t *testing.T){
 d:="/work/shared/data/"
 ev,err:=Evaluate(context.Background(),question.Default(),Sources{d+"spider/train_spider_min.jsonl.gz",d+"spider-syn/train_spider.json.gz",d+"spider/tables.json"},1)
 if err!=nil{t.Fatal(err)}
 show(ev)
}
