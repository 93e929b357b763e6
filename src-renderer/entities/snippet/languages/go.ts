import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

const hmac = 'mac := hmac.New(sha256.New, []byte(secret))'
const signed = 'mac.Write([]byte(timestamp + "." + body))'
const digest = 'digest := fmt.Sprintf("%x", mac.Sum(nil))'
const sent = 'request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))'
const secret = 'secret := os.Getenv("CC_SIGNING_SECRET")'

const fixes: Changes = {
  timestamp_in_seconds: [
    'timestamp := fmt.Sprint(time.Now().Unix())',
    'timestamp := fmt.Sprint(time.Now().UnixMilli())',
  ],
  signed_body_only: ['mac.Write([]byte(body))', signed],
  missing_dot: ['mac.Write([]byte(timestamp + body))', signed],
  key_without_prefix: ['mac := hmac.New(sha256.New, []byte(strings.TrimPrefix(secret, "whsec_")))', hmac],
  key_base64_decoded: [
    'key, _ := base64.RawURLEncoding.DecodeString(secret[6:])\nmac := hmac.New(sha256.New, key)',
    hmac,
  ],
  digest_base64: ['digest := base64.StdEncoding.EncodeToString(mac.Sum(nil))', digest],
  digest_uppercase: ['digest := fmt.Sprintf("%X", mac.Sum(nil))', digest],
  missing_scheme: [
    'request.Header.Set("x-service-signature", digest)',
    'request.Header.Set("x-service-signature", "sha256="+digest)',
  ],
  body_reserialized: [
    'again, _ := json.MarshalIndent(json.RawMessage(body), "", "  ")\nrequest, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(again))',
    sent,
  ],
  secret_with_whitespace: [secret, 'secret := strings.TrimSpace(os.Getenv("CC_SIGNING_SECRET"))'],
  empty_body: ['request, err := http.NewRequest(http.MethodPost, url, nil)', sent],
  body_bom: [
    'request, err := http.NewRequest(http.MethodPost, url, strings.NewReader("\\ufeff"+body))',
    sent,
  ],
  body_crlf: [
    'crlf := strings.ReplaceAll(body, "\\n", "\\r\\n")\nrequest, err := http.NewRequest(http.MethodPost, url, strings.NewReader(crlf))',
    sent,
  ],
  body_latin1: [
    'request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(toLatin1(body)))',
    sent,
  ],
  timestamp_mismatch: ['mac.Write([]byte(fmt.Sprint(time.Now().Unix()) + "." + body))', signed],
  body_before_timestamp: ['mac.Write([]byte(body + "." + timestamp))', signed],
  signed_data_only: ['mac.Write([]byte(timestamp + "." + string(data)))', signed],
  plain_sha256: ['mac := sha256.New()', hmac],
  key_message_swapped: [
    'mac := hmac.New(sha256.New, []byte(timestamp+"."+body))\nmac.Write([]byte(secret))',
    `${hmac}\n${signed}`,
  ],
  token_as_key: ['secret := os.Getenv("CC_INBOUND_TOKEN")', secret],
}

export const go: LanguageSnippets = {
  fixes,
  send: {
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
	// ${retryRule}
}`,
  },
  verify: {
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
	"strings"
	"time"
)

func verify(secret, timestamp, signature string, rawBody []byte) bool {
	ms, err := strconv.ParseUint(timestamp, 10, 63)
	if err != nil || time.Since(time.UnixMilli(int64(ms))).Abs() > 5*time.Minute {
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
		// Joined, so that a header that is sent twice is refused
		timestamp := strings.Join(r.Header.Values("x-service-timestamp"), ",")
		signature := strings.Join(r.Header.Values("x-service-signature"), ",")
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
