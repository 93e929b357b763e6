import type { Corrections } from './corrections.ts'

export const python: Corrections = {
  window: `\
  timestamp = self.headers.get("x-service-timestamp", "")
+ if not re.fullmatch("[0-9]{1,15}", timestamp):
+     return self.answer(401)
+ if abs(time.time() * 1000 - int(timestamp)) > 300_000:
+     return self.answer(401)`,
  rawBody: `\
- message = timestamp.encode() + b"." + json.dumps(data).encode()
+ raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
+ message = timestamp.encode() + b"." + raw_body
+ # Call json.loads once the signature is right`,
  key: `\
+ # The whole string is the key, whsec_ included, and only the current one
+ digest = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()`,
  message: `\
- message = raw_body
+ message = timestamp.encode() + b"." + raw_body`,
  missing: `\
+ signature = self.headers.get("x-service-signature", "")
+ if not hmac.compare_digest(("sha256=" + digest).encode(), signature.encode()):
+     return self.answer(401)`,
  header: `\
+ # self.headers finds a header however its name is spelled
+ timestamp = self.headers.get("x-service-timestamp", "")
+ signature = self.headers.get("x-service-signature", "")`,
  parsing: `\
+ try:
+     data = json.loads(raw_body)
+ except ValueError:
+     return self.answer(400)`,
  answer: `\
+ queue.put(data)  # another thread does the work
+ self.answer(202)`,
}
