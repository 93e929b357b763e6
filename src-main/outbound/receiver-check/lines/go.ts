import type { Corrections } from './corrections.ts'

export const go: Corrections = {
  window: `\
  timestamp := r.Header.Get("x-service-timestamp")
+ ms, err := strconv.ParseUint(timestamp, 10, 63)
+ if err != nil || time.Since(time.UnixMilli(int64(ms))).Abs() > 5*time.Minute {
+ 	w.WriteHeader(http.StatusUnauthorized)
+ 	return
+ }`,
  rawBody: `\
- body, err := json.Marshal(data)
+ rawBody, err := io.ReadAll(r.Body) // as received
+ mac.Write(rawBody)
+ // Call json.Unmarshal once the signature is right`,
  key: `\
+ // The whole string is the key, whsec_ included, and only the current one
+ mac := hmac.New(sha256.New, []byte(secret))`,
  message: `\
+ mac.Write([]byte(timestamp + "."))
  mac.Write(rawBody)`,
  missing: `\
+ expected := fmt.Sprintf("sha256=%x", mac.Sum(nil))
+ if !hmac.Equal([]byte(expected), []byte(r.Header.Get("x-service-signature"))) {
+ 	w.WriteHeader(http.StatusUnauthorized)
+ 	return
+ }`,
  header: `\
+ // Get finds a header however its name is spelled
+ timestamp := r.Header.Get("x-service-timestamp")
+ signature := r.Header.Get("x-service-signature")`,
  parsing: `\
+ if err := json.Unmarshal(rawBody, &data); err != nil {
+ 	w.WriteHeader(http.StatusBadRequest)
+ 	return
+ }`,
  answer: `\
+ w.WriteHeader(http.StatusAccepted) // answer first
+ go work(data)`,
}
