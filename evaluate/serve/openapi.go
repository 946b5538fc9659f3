package serve

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
)

// JSONSchema describes an id: a string, a number or null.
func (ID) JSONSchema() (jsonschema.Schema, error) {
	var s jsonschema.Schema
	s.AddType(jsonschema.String)
	s.AddType(jsonschema.Number)
	s.AddType(jsonschema.Null)
	return s, nil
}

// Description is the OpenAPI document of the service, as JSON. It is made from the types
// that requests are read into.
var Description = sync.OnceValues(func() ([]byte, error) {
	r := openapi31.NewReflector()
	r.DefaultOptions = append(r.DefaultOptions, jsonschema.StripDefinitionNamePrefix("Serve"))
	r.Spec.Info.WithTitle("tabperturb serve").WithVersion("1").
		WithDescription("Verdicts on predicted SQL, the same as those of tabperturb eval.")
	r.Spec.SetHTTPBearerTokenSecurity("token", "", "The token that the service was started with, where it was.")
	operations := []struct {
		method, path, summary string
		body, answer          any
		kind                  string
		refusals              []int
	}{
		{http.MethodPost, "/v1/verdicts", "Judge one prediction, or a list of them", jsonschema.OneOf(Request{}, []Request{}), jsonschema.OneOf(Answer{}, []Answer{}), "application/json", []int{400, 401, 403, 408, 413, 415, 503}},
		{http.MethodGet, "/healthz", "Does the service answer?", nil, Health{}, "application/json", nil},
		{http.MethodGet, "/metrics", "Counters for Prometheus", nil, "", "text/plain", []int{401, 403}},
		{http.MethodGet, "/openapi.json", "This document", nil, map[string]any{}, "application/json", []int{401, 403}},
	}
	for _, o := range operations {
		c, err := r.NewOperationContext(o.method, o.path)
		if err != nil {
			return nil, err
		}
		c.SetSummary(o.summary)
		if o.body != nil {
			c.AddReqStructure(o.body, openapi.WithContentType("application/json"))
		}
		c.AddRespStructure(o.answer, openapi.WithContentType(o.kind), openapi.WithHTTPStatus(http.StatusOK))
		for _, status := range o.refusals {
			c.AddRespStructure(Failure{}, openapi.WithHTTPStatus(status))
		}
		if o.path != "/healthz" {
			c.AddSecurity("token")
		}
		if err := r.AddOperation(c); err != nil {
			return nil, err
		}
	}
	return json.MarshalIndent(r.Spec, "", "  ")
})
