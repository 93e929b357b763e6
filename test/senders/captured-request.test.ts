import { expect, test } from 'vitest'
import { readCaptured } from '#main/senders/captured-request.ts'

const headers = [
  ['X-Pakket-Time', '1795267622'],
  ['X-Pakket-Signature', 'v1=9c41'],
]
const body = '{"type":"parcel.delivered"}'

test.each([
  [
    'headers, an empty line and the body',
    `X-Pakket-Time: 1795267622\nX-Pakket-Signature: v1=9c41\n\n${body}`,
  ],
  [
    'a whole message with a request line and CRLF',
    `POST /hooks HTTP/1.1\r\nX-Pakket-Time: 1795267622\r\nX-Pakket-Signature: v1=9c41\r\n\r\n${body}`,
  ],
  [
    'a body that follows the headers at once',
    `X-Pakket-Time:1795267622\nX-Pakket-Signature: v1=9c41\n${body}`,
  ],
  [
    'a curl command',
    `curl -X POST https://in.example/x \\\n -H 'X-Pakket-Time: 1795267622' -H "X-Pakket-Signature: v1=9c41" --data-raw '${body}'`,
  ],
])('reads %s', (_what, text) => {
  expect(readCaptured(text)).toMatchObject({ headers, bodies: [body] })
})

test.each([
  ['a request line', `GET /hooks?a=1&b=2 HTTP/1.1\n\n`, { method: 'GET', query: 'a=1&b=2' }],
  ['a curl command', `curl 'https://in.example/x?a=1&b=2'`, { method: 'GET', query: 'a=1&b=2' }],
  ['curl -I', `curl -I 'https://in.example/x?a=1'`, { method: 'HEAD', query: 'a=1' }],
  ['curl -G', `curl -G 'https://in.example/x?a=1' -d b=2`, { method: 'GET', query: 'a=1&b=2' }],
  ['curl with a body', `curl 'https://in.example/x?a=1' -d b=2`, { method: 'POST', query: 'a=1' }],
])('reads the method and the query of %s', (_what, text, called) => {
  expect(readCaptured(text)).toMatchObject(called)
})

test('keeps the last line break of a body, and offers the body without it', () => {
  const text = `X-Pakket-Time: 1795267622\nX-Pakket-Signature: v1=9c41\n\n${body}\n`
  expect(readCaptured(text)).toEqual({ headers, bodies: [`${body}\n`, body] })
})

test('keeps empty lines within a body', () => {
  expect(readCaptured('A: b\n\n{\n\n}')).toEqual({ headers: [['A', 'b']], bodies: ['{\n\n}'] })
})

test.each([
  ['only a body', body, 'Paste the header lines'],
  ['nothing', '', 'Paste the header lines'],
  ['curl with a body in a file', "curl https://a.example -H 'A: b' -d @body.json", 'in the file body.json'],
  ['curl without a header', 'curl https://a.example', 'no -H'],
])('says what is wrong with %s', (_what, text, says) => {
  expect(readCaptured(text)).toEqual({ problem: expect.stringContaining(says) })
})
