import type { Changes } from './change.ts'

const hmac = "const digest = createHmac('sha256', secret)"
const signed = `.update(\`\${timestamp}.\${body}\`)`
const sent = 'body,'

export const node: Changes = {
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
