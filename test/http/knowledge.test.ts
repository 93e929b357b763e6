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
