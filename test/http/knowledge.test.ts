import { expect, test } from 'vitest'
import { maxKnowledgeFileBytes } from '#shared/model/platform/knowledge.ts'
import { exchange } from '../support/raw-http.ts'
import { adminToken, sharedService } from '../support/service-fixture.ts'

const service = sharedService()
const boundary = 'part-of-a-form'
const formStart = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`

test.each([
  ['as the body', 'text/plain', ''],
  ['in a form', `multipart/form-data; boundary=${boundary}`, formStart],
])('refuses a chunked file that is too large %s, and answers the next request', async (_, type, start) => {
  const { dashboardUrl, rest } = await service()
  const { hostname, host, port } = new URL(dashboardUrl)
  const head = (line: string) =>
    `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${adminToken}\r\n`
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
  const piece = chunk(Buffer.alloc(1024 * 1024, 'x'))
  const pieces = [
    head('POST /api/v1/platform/knowledge?name=a.txt'),
    `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ...(start === '' ? [] : [chunk(Buffer.from(start))]),
    ...Array<Buffer>(maxKnowledgeFileBytes / 1024 / 1024 + 8).fill(piece),
    `0\r\n\r\n${head('GET /api/v1/platform/knowledge')}\r\n`,
  ]
  const [refused, next] = await exchange({ host: hostname, port: Number(port) }, pieces, 2)
  expect(refused).toMatchObject({ status: 413, body: expect.stringContaining('file_too_large') })
  expect(next).toMatchObject({ status: 200, body: '[]' })
  expect((await rest('GET', '/health')).status).toBe(200)
})

const partOf = (head: string, text: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
const file = (name: string) => partOf(`name="file"; filename="${name}"`, 'Hello')
const manyFields = partOf('name="f"', 'x').repeat(500_000)

// Parsing all of these fields would take longer than a test may.
test.each([
  ['many fields before its file', `${manyFields}${file('a.txt')}`, 'more than 10 parts'],
  ['many fields after its file', `${file('a.txt')}${manyFields}`, 'more than 10 parts'],
  [
    'many parts without names',
    `--${boundary}\r\nA: b\r\n\r\nx\r\n`.repeat(500_000) + file('a.txt'),
    'more than 10 parts',
  ],
  ['two files', `${file('a.txt')}${file('b.txt')}`, 'more than one file'],
])('refuses a form with %s, and answers the next request', async (_, parts, reason) => {
  const { dashboardUrl } = await service()
  const { hostname, host, port } = new URL(dashboardUrl)
  const head = (line: string) =>
    `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${adminToken}\r\n`
  const body = Buffer.from(`${parts}--${boundary}--\r\n`)
  const type = `multipart/form-data; boundary=${boundary}`
  const pieces = [
    head('POST /api/v1/platform/knowledge?agentId=forms'),
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
    body,
    `${head('GET /api/v1/platform/knowledge?agentId=forms')}\r\n`,
  ]
  const [refused, next] = await exchange({ host: hostname, port: Number(port) }, pieces, 2)
  expect(refused).toMatchObject({ status: 400, body: expect.stringContaining(reason) })
  expect(next).toMatchObject({ status: 200, body: '[]' })
})
