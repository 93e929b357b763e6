import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { LanguageSnippets, SendInput } from '../snippet.ts'

export const go: LanguageSnippets = {
  send: {
    language: 'go',
    label: 'Go',
    highlight: 'go',
    file: 'send.go',
    command: 'go run send.go',
    render: ({ url, eventName, data, secret }: SendInput) => `\
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	// The whole string is the key, whsec_ included
	secret := ${secret === undefined ? 'os.Getenv("CC_SIGNING_SECRET")' : quote.go(secret)}
	if secret == "" {
		log.Fatal("CC_SIGNING_SECRET is not set")
	}
	url := ${quote.go(url)}

	// Call json.Marshal once: sign and send the same text
	body := ${quote.go(eventBody(eventName, data))}
	timestamp := fmt.Sprint(time.Now().UnixMilli())
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "." + body))
	digest := fmt.Sprintf("%x", mac.Sum(nil))

	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("x-service-timestamp", timestamp)
	request.Header.Set("x-service-signature", "sha256="+digest)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
	io.Copy(os.Stdout, response.Body)
}`,
  },
  verify: {
    language: 'go',
    label: 'Go',
    highlight: 'go',
    file: 'verify.go',
    command: 'go run verify.go',
    render: () => `\
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

func verify(secret, timestamp, signature string, rawBody []byte) bool {
	ms, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.UnixMilli(ms)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := fmt.Sprintf("sha256=%x", mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}

func main() {
	// The whole string is the key, whsec_ included
	secret := os.Getenv("CC_SIGNING_SECRET")
	if secret == "" {
		log.Fatal("CC_SIGNING_SECRET is not set")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Listening on port", listener.Addr().(*net.TCPAddr).Port)

	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// The bytes as received, before json.Unmarshal
		rawBody, err := io.ReadAll(r.Body)
		timestamp := r.Header.Get("x-service-timestamp")
		signature := r.Header.Get("x-service-signature")
		w.Header().Set("Content-Type", "application/json")
		if err != nil || !verify(secret, timestamp, signature, rawBody) {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, \`{"ok":false}\`)
			return
		}
		// The call is genuine: do the work here
		io.WriteString(w, \`{"ok":true}\`)
	})
	log.Fatal(http.Serve(listener, nil))
}`,
  },
}
