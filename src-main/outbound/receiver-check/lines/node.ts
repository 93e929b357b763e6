import type { Corrections } from './corrections.ts'

export const node: Corrections = {
  window: `\
  const timestamp = request.headers['x-service-timestamp']
+ const age = Math.abs(Date.now() - Number(timestamp))
+ if (!(age <= 300_000)) {
+   return response.writeHead(401).end()
+ }`,
  rawBody: `\
- hmac.update(JSON.stringify(JSON.parse(body)))
+ const rawBody = Buffer.concat(chunks) // as received
+ hmac.update(rawBody)
+ // Call JSON.parse once the signature is right`,
  key: `\
+ // The whole string is the key, whsec_ included, and only the current one
+ const hmac = createHmac('sha256', secret)`,
  message: `\
- hmac.update(rawBody)
+ hmac.update(\`\${timestamp}.\`).update(rawBody)`,
  missing: `\
+ const expected = Buffer.from(\`sha256=\${hmac.digest('hex')}\`)
+ const received = Buffer.from(signature ?? '')
+ if (received.length !== expected.length || !timingSafeEqual(received, expected)) {
+   return response.writeHead(401).end()
+ }`,
  header: `\
+ // Node has the names of headers in lower case, however they were sent
+ const timestamp = request.headers['x-service-timestamp']
+ const signature = request.headers['x-service-signature']`,
  parsing: `\
+ let data
+ try {
+   data = JSON.parse(rawBody)
+ } catch {
+   return response.writeHead(400).end()
+ }`,
  answer: `\
+ response.writeHead(202).end() // answer first
  await work(data)`,
}
