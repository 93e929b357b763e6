import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

const hmac = "const digest = createHmac('sha256', secret)"
const signed = `.update(\`\${timestamp}.\${body}\`)`
const sent = 'body,'

const fixes: Changes = {
  timestamp_in_seconds: [
    'const timestamp = Math.floor(Date.now() / 1000).toString()',
    'const timestamp = Date.now().toString()',
  ],
  signed_body_only: ['.update(body)', signed],
  missing_dot: ['.update(timestamp + body)', signed],
  key_without_prefix: ["const digest = createHmac('sha256', secret.slice('whsec_'.length))", hmac],
  key_base64_decoded: ["const digest = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))", hmac],
  digest_base64: [".digest('base64')", ".digest('hex')"],
  digest_uppercase: [".digest('hex').toUpperCase()", ".digest('hex')"],
  missing_scheme: ["'x-service-signature': digest,", `'x-service-signature': \`sha256=\${digest}\`,`],
  body_reserialized: ['body: JSON.stringify(JSON.parse(body), null, 2),', sent],
  secret_with_whitespace: [
    'const secret = process.env.CC_SIGNING_SECRET',
    'const secret = process.env.CC_SIGNING_SECRET.trim()',
  ],
  empty_body: ['', sent],
  body_bom: ["body: '\\uFEFF' + body,", sent],
  body_crlf: ["body: body.replaceAll('\\n', '\\r\\n'),", sent],
  body_latin1: ["body: Buffer.from(body, 'latin1'),", sent],
  timestamp_mismatch: [`.update(\`\${Math.floor(Date.now() / 1000)}.\${body}\`)`, signed],
  body_before_timestamp: [`.update(\`\${body}.\${timestamp}\`)`, signed],
  signed_data_only: [`.update(\`\${timestamp}.\${JSON.stringify(data)}\`)`, signed],
  plain_sha256: ["const digest = createHash('sha256')", hmac],
  key_message_swapped: [
    `const digest = createHmac('sha256', \`\${timestamp}.\${body}\`)\n  .update(secret)`,
    `${hmac}\n  ${signed}`,
  ],
  token_as_key: [
    'const secret = process.env.CC_INBOUND_TOKEN',
    'const secret = process.env.CC_SIGNING_SECRET',
  ],
}

export const node: LanguageSnippets = {
  fixes,
  send: {
    label: 'Node',
    highlight: 'javascript',
    file: 'send.mjs',
    command: 'node send.mjs',
    render: ({ url, eventName, data, secret }: SendInput) => `\
import { createHmac } from 'node:crypto'

// The whole string is the key, whsec_ included
const secret = ${secret === undefined ? 'process.env.CC_SIGNING_SECRET' : quote.node(secret)}
if (!secret) throw new Error('CC_SIGNING_SECRET is not set')
const url = ${quote.node(url)}

// Call JSON.stringify once: sign and send the same text
const body = ${quote.node(eventBody(eventName, data))}
const timestamp = Date.now().toString()
const digest = createHmac('sha256', secret)
  .update(\`\${timestamp}.\${body}\`)
  .digest('hex')

const response = await fetch(url, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    'x-service-timestamp': timestamp,
    'x-service-signature': \`sha256=\${digest}\`,
  },
  body,
})
console.log(response.status, await response.text())
// ${retryRule}`,
  },
  verify: {
    label: 'Node',
    highlight: 'javascript',
    file: 'verify.mjs',
    command: 'node verify.mjs',
    render: () => `\
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

// The whole string is the key, whsec_ included
const secret = process.env.CC_SIGNING_SECRET
if (!secret) throw new Error('CC_SIGNING_SECRET is not set')

function verify(secret, timestamp, signature, rawBody) {
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false
  if (Math.abs(Date.now() - Number(timestamp)) > 300_000) return false
  const hmac = createHmac('sha256', secret).update(\`\${timestamp}.\`).update(rawBody)
  const expected = Buffer.from(\`sha256=\${hmac.digest('hex')}\`)
  const received = Buffer.from(signature ?? '')
  return received.length === expected.length && timingSafeEqual(received, expected)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const rawBody = Buffer.concat(chunks) // as received, before JSON.parse
    const timestamp = request.headers['x-service-timestamp']
    const signature = request.headers['x-service-signature']
    response.setHeader('Content-Type', 'application/json')
    if (!verify(secret, timestamp, signature, rawBody)) {
      response.writeHead(401).end('{"ok":false}')
      return
    }
    // The call is genuine: do the work here
    response.end('{"ok":true}')
  })
})
server.listen(process.env.PORT ?? 8080, '127.0.0.1', () => {
  console.log(\`Listening on port \${server.address().port}\`)
})`,
  },
}
