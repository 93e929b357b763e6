// The same receiver as mistaken.py, with Node alone.
import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import process from 'node:process'

const [, , secret, oldSecret] = process.argv

function keyOf(mistake, text) {
  if (mistake === 'prefix_stripped') return text.slice('whsec_'.length)
  if (mistake === 'key_decoded') return Buffer.from(text.slice('whsec_'.length), 'base64url')
  return text
}

function isRecent(mistake, timestamp) {
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false
  const age = Date.now() - Number(timestamp)
  if (mistake === 'no_window') return true
  if (mistake === 'seconds') return Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
  if (mistake === 'no_absolute') return age <= 300_000
  return Math.abs(age) <= 300_000
}

function signedBody(mistake, body) {
  if (mistake === 'compared_after_parsing') return JSON.stringify(JSON.parse(body.toString()))
  return mistake === 'not_raw' ? body.toString().trim() : body
}

function isGenuine(mistake, request, body) {
  const raw = request.rawHeaders
  const at = name => raw[raw.indexOf(name) + 1]
  const isCaseSensitive = mistake === 'case_sensitive'
  const timestamp =
    isCaseSensitive && !raw.includes('x-service-timestamp')
      ? undefined
      : request.headers['x-service-timestamp']
  const signature =
    isCaseSensitive && timestamp ? at('x-service-signature') : request.headers['x-service-signature']
  if (mistake === 'missing_accepted' && (timestamp === undefined || signature === undefined)) return true
  if (timestamp === undefined || signature === undefined || !isRecent(mistake, timestamp)) return false
  if (mistake === 'empty_accepted' && signature === '') return true
  let signed
  try {
    signed = signedBody(mistake, body)
  } catch {
    return false
  }
  const secrets = mistake === 'old_secret' ? [secret, oldSecret] : [secret]
  return secrets.some(one => {
    const hmac = createHmac('sha256', keyOf(mistake, one))
    if (mistake !== 'body_alone') hmac.update(`${timestamp}.`)
    const expected = Buffer.from(`sha256=${hmac.update(signed).digest('hex')}`)
    const received = Buffer.from(signature)
    return received.length === expected.length && timingSafeEqual(received, expected)
  })
}

const server = createServer((request, response) => {
  const mistake = request.url.slice(1).split('?')[0]
  const chunks = []
  const answer = (status, content) => {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(status === 301 && { Location: '/elsewhere' }),
    })
    response.end(JSON.stringify(content))
  }
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    if (mistake === 'redirect') return answer(301, {})
    if (mistake === 'time_out') return undefined
    if (!isGenuine(mistake, request, body))
      return answer(mistake === 'ok_for_wrong' ? 200 : 401, { ok: false })
    try {
      JSON.parse(body.length === 0 ? '{}' : body)
    } catch {
      return answer(mistake === 'crashes' ? 500 : 400, { ok: false })
    }
    return answer(200, { ok: true })
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
