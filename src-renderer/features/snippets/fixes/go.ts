import type { Changes } from './change.ts'

const hmac = 'mac := hmac.New(sha256.New, []byte(secret))'
const signed = 'mac.Write([]byte(timestamp + "." + body))'
const digest = 'digest := fmt.Sprintf("%x", mac.Sum(nil))'
const sent = 'request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))'
const secret = 'secret := os.Getenv("CC_SIGNING_SECRET")'

export const go: Changes = {
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
