# The program alone, on an empty base: docker build -t tabperturb . && docker run --rm -v "$PWD:/data" tabperturb demo
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /tabperturb ./cmd/tabperturb && mkdir -m 1777 /empty

FROM scratch
COPY --from=build /tabperturb /tabperturb
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /empty /tmp
WORKDIR /data
ENTRYPOINT ["/tabperturb"]
