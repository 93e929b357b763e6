import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { encode } from 'iconv-lite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  KnowledgeFile,
  KnowledgeMatch,
  KnowledgeText,
  maxKnowledgeFileBytes,
} from '#shared/model/platform/knowledge.ts'
import { eventually } from '../support/eventually.ts'
import { type Rest, readAnswer } from '../support/rest-client.ts'
import { adminToken, sharedService, startService } from '../support/service-fixture.ts'

const service = sharedService()

/** Uploads a file in parts of a size. Returns the answer to the last request. */
async function upload(rest: Rest, name: string, bytes: Buffer, agentId = 'default', partBytes = 512 * 1024) {
  const started = await rest('POST', '/platform/knowledge/uploads', { agentId, name, bytes: bytes.length })
  if (started.status !== 200) return started
  const { uploadId } = z.object({ uploadId: z.string() }).parse(started.body)
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const base64 = bytes.subarray(offset, offset + partBytes).toString('base64')
    const part = await rest('POST', `/platform/knowledge/uploads/${uploadId}`, { offset, base64 })
    expect(part.status).toBe(200)
  }
  return rest('POST', `/platform/knowledge/uploads/${uploadId}/finish`, {})
}

test('adds a text in parts, reads, searches and deletes it', async () => {
  const { rest } = await service()
  const text =
    'Returns\n\nA customer may return a damaged article within 30 days.\n\nCafé: open from 9 to 5.\n'
  const added = await upload(rest, 'policy.txt', Buffer.from(text), 'default', 20)
  expect(added.status).toBe(200)
  const file = KnowledgeFile.parse(added.body)
  expect(file).toMatchObject({
    ...{ workspaceId: 'default', agentId: 'default', name: 'policy.txt', kind: 'txt', detail: 'UTF-8' },
    ...{ nameFits: true, bytes: Buffer.byteLength(text), lines: 5, pages: null, rows: null, warnings: [] },
  })
  expect((await rest('GET', '/platform/knowledge')).body).toEqual([file])
  expect((await rest('GET', `/platform/knowledge/${file.fileId}`)).body).toEqual(file)

  const read = KnowledgeText.parse((await rest('GET', `/platform/knowledge/${file.fileId}/text`)).body)
  expect(read).toEqual({
    passages: [
      {
        index: 0,
        place: { unit: 'line', first: 1, last: 5 },
        text: 'Returns\nA customer may return a damaged article within 30 days.\nCafé: open from 9 to 5.',
      },
    ],
    total: 1,
    next: null,
  })

  const search = async (query: string) =>
    z
      .array(KnowledgeMatch)
      .parse((await rest('GET', `/platform/knowledge/search?query=${encodeURIComponent(query)}`)).body)
  const [match] = await search('CAFE damag')
  expect(match).toMatchObject({ fileId: file.fileId, name: 'policy.txt', index: 0 })
  expect(match?.snippet.filter(({ isMatch }) => isMatch).map(piece => piece.text)).toEqual([
    'damaged',
    'Café',
  ])
  expect(await search('unknown')).toEqual([])
  for (const syntax of ['"', 'a" OR scope:x*', 'NEAR(a b)', '^-+(){}:*', 'text : return'])
    expect(Array.isArray(await search(syntax)), syntax).toBe(true)

  expect((await rest('DELETE', `/platform/knowledge/${file.fileId}`)).body).toEqual({ deleted: 1 })
  expect((await rest('GET', '/platform/knowledge')).body).toEqual([])
  expect((await rest('GET', `/platform/knowledge/${file.fileId}`)).status).toBe(404)
  expect(await search('damaged')).toEqual([])
})

test('takes a file as the raw body and in a form, and refuses others with their reason', async () => {
  const { rest, dashboardUrl } = await service()
  const post = async (query: string, body: NonNullable<RequestInit['body']>, token = adminToken) =>
    readAnswer(
      await fetch(`${dashboardUrl}/api/v1/platform/knowledge?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body,
      }),
    )
  const raw = await post('agentId=sales&name=zones.csv', 'zone,price\nNorth,4.90\n')
  expect(raw).toMatchObject({ status: 200, body: { kind: 'csv', rows: 1, agentId: 'sales' } })
  expect((await post('agentId=sales&name=zones.csv', 'zone,price\nNorth,4.90\n')).body).toEqual(raw.body)

  const form = new FormData()
  form.append('note', 'ignored')
  form.append('file', new Blob(['Opening hours\n']), 'hours.txt')
  expect(await post('agentId=sales', form)).toMatchObject({
    status: 200,
    body: { name: 'hours.txt', lines: 1 },
  })
  expect((await rest('GET', '/platform/knowledge?agentId=sales')).body).toMatchObject([
    { name: 'hours.txt' },
    { name: 'zones.csv' },
  ])

  expect(await post('agentId=sales', 'x')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await post('name=a.txt&workspaceId=ws_none', 'x')).toMatchObject({ status: 404 })
  expect(await post('name=a.txt', '')).toMatchObject({ status: 400, body: { code: 'empty_file' } })
  expect(await post('name=a.txt', 'x', 'wrong-token-0123456789')).toMatchObject({ status: 401 })
  expect(await post('agentId=sales', new FormData())).toMatchObject({ body: { code: 'invalid_input' } })
  expect(await post('name=a.txt', new Uint8Array(maxKnowledgeFileBytes + 100_000))).toMatchObject({
    status: 413,
    body: { code: 'file_too_large' },
  })

  // An agent with nothing but files is found again.
  const agents = async () => (await rest('GET', '/platform/agents')).body
  const sales = { agentId: 'sales', workspaceId: 'default', files: 2 }
  expect(await agents()).toMatchObject([{ ...sales, shapes: [], unknownFields: [] }])
  await rest('PUT', '/platform/voice?agentId=sales', {})
  expect(await agents()).toMatchObject([{ ...sales, shapes: ['voice'] }])
  await rest('DELETE', '/platform/voice?agentId=sales')
  expect(await agents()).toMatchObject([{ ...sales, shapes: [] }])
  const removed = await rest('DELETE', '/platform/agents?agentId=sales')
  expect(removed.body).toEqual({ deleted: 1 })
  expect((await rest('GET', '/platform/knowledge?agentId=sales')).body).toEqual([])
  expect(await agents()).toEqual([])
})

test('adds nothing from a form that ends within its file', async () => {
  const { rest, dashboardUrl } = await service()
  const start = '--B\r\nContent-Disposition: form-data; name="file"; filename='
  for (const body of [`${start}"cut.txt"\r\n\r\nHalf`, `${start}""\r\n\r\nHalf`, `${start}"cut.txt"\r\n`]) {
    const answer = await fetch(`${dashboardUrl}/api/v1/platform/knowledge?agentId=cut`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'multipart/form-data; boundary=B' },
      body,
    })
    expect((await readAnswer(answer)).body, body).toMatchObject({ code: 'invalid_input' })
  }
  expect((await rest('GET', '/platform/knowledge?agentId=cut')).body).toEqual([])
})

test('never mixes the parts of an upload, whatever arrives at once', async () => {
  const { service: own, dataFolder } = await service()
  const { knowledge } = own
  const file = { workspaceId: 'default', agentId: 'parts', name: 'a.txt' }
  const started = await Promise.allSettled(
    Array.from({ length: 30 }, () => knowledge.startUpload(file, 2_000_000)),
  )
  const ids = started.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  expect(ids).toHaveLength(20)
  const [first = '', second = '', ...others] = ids
  const part = (letter: string) => Buffer.alloc(1_000_000, letter)
  const refused = expect.objectContaining({ status: 'rejected' })
  expect(
    await Promise.allSettled([
      knowledge.addPart(first, 0, part('a')),
      knowledge.addPart(first, 1_000_000, part('b')),
      knowledge.finishUpload(first),
    ]),
  ).toEqual([{ status: 'fulfilled', value: 1_000_000 }, refused, refused])
  await knowledge.addPart(first, 1_000_000, part('b'))
  const added = await knowledge.finishUpload(first)
  expect(added.sha256).toBe(createHash('sha256').update(part('a')).update(part('b')).digest('hex'))

  const cancelled = [knowledge.addPart(second, 0, part('a')), knowledge.cancelUpload(second)]
  expect(await Promise.allSettled(cancelled)).toEqual([refused, { status: 'fulfilled', value: undefined }])
  await Promise.all(others.map(knowledge.cancelUpload))
  expect(readdirSync(join(dataFolder, 'uploads'))).toEqual([])
})

test('keeps files after a restart, and deletes them with their workspace', async () => {
  const own = await startService()
  const { workspaceId } = z
    .object({ workspaceId: z.string() })
    .parse((await own.rest('POST', '/workspaces', { name: 'Other' })).body)
  const list = (query: string) => own.rest('GET', `/platform/knowledge${query}`)
  expect((await upload(own.rest, 'a.txt', Buffer.from('Kept'))).status).toBe(200)
  const query = `?workspaceId=${workspaceId}`
  const { knowledge } = own.service
  await knowledge.add(
    { workspaceId, agentId: 'default', name: 'b.txt' },
    Readable.from([Buffer.from('Gone')]),
  )
  // Half an upload, which the restart discards.
  await knowledge.startUpload({ workspaceId, agentId: 'default', name: 'c.txt' }, 10)
  await own.restart()
  expect(existsSync(join(own.dataFolder, 'uploads'))).toBe(false)
  expect((await list('')).body).toMatchObject([{ name: 'a.txt' }])
  expect((await list(query)).body).toMatchObject([{ name: 'b.txt' }])

  await own.rest('DELETE', `/workspaces/${workspaceId}`)
  const scope = { workspaceId, agentId: 'default' }
  await eventually(async () => expect(await own.service.storage.knowledge.list(scope)).toEqual([]))
  expect((await list('')).body).toMatchObject([{ name: 'a.txt' }])
})

test('reads a file again in the encoding and with the separator that are chosen', async () => {
  const { rest } = await service()
  const bytes = encode('Miasto;Cena\nŁódź;4,90\n', 'win1250')
  const added = KnowledgeFile.parse((await upload(rest, 'ceny.csv', bytes, 'choice')).body)
  expect(added).toMatchObject({ encoding: 'windows-1250', chosen: { encoding: null, separator: null } })
  const path = `/platform/knowledge/${added.fileId}`
  const textNow = async () => KnowledgeText.parse((await rest('GET', `${path}/text`)).body).passages[0]?.text
  const found = async (query: string) =>
    z
      .array(KnowledgeMatch)
      .parse(
        (await rest('GET', `/platform/knowledge/search?agentId=choice&query=${encodeURIComponent(query)}`))
          .body,
      ).length

  const again = await rest('POST', `${path}/read`, { encoding: 'windows-1251', separator: '|' })
  expect(again).toMatchObject({
    status: 200,
    body: {
      ...{ fileId: added.fileId, addedAt: added.addedAt, encoding: 'windows-1251', separator: '|' },
      ...{ chosen: { encoding: 'windows-1251', separator: '|' }, warnings: [] },
    },
  })
  expect(await textNow()).toBe('Miasto;Cena: Јуdџ;4,90')
  expect(await found('Łódź')).toBe(0)
  // What is left out stays; null lets the service guess again.
  expect((await rest('POST', `${path}/read`, { separator: null })).body).toMatchObject({
    chosen: { encoding: 'windows-1251', separator: null },
    separator: ';',
  })
  expect((await rest('POST', `${path}/read`, { encoding: null })).body).toMatchObject({ ...added })
  expect(await textNow()).toBe('Miasto: Łódź; Cena: 4,90')
  expect(await found('Łódź')).toBe(1)

  expect(await rest('POST', `${path}/read`, { encoding: 'latin' })).toMatchObject({ status: 400 })
  expect(await rest('POST', '/platform/knowledge/file_none/read', {})).toMatchObject({ status: 404 })
})

test('adds a file in the encoding that its sender names, also one that the agent has', async () => {
  const { dashboardUrl } = await service()
  const bytes = new Uint8Array(encode('Łódź', 'win1250'))
  const post = async (query: string) =>
    readAnswer(
      await fetch(`${dashboardUrl}/api/v1/platform/knowledge?agentId=named&name=a.txt${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}` },
        body: bytes,
      }),
    )
  const first = KnowledgeFile.parse((await post('')).body)
  const { body } = await post('&encoding=windows-1251')
  expect(body).toMatchObject({ fileId: first.fileId, detail: 'Windows-1251', characters: 4 })
  expect(await post('&encoding=latin')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
})

test('reads files again that an earlier version has read, and keeps the text of those it cannot read', async () => {
  const own = await startService()
  await upload(own.rest, 'a.csv', Buffer.from('sep=;\na;b\n1;2\n'))
  await upload(own.rest, 'b.txt', Buffer.from('Readable'))
  await own.stop()
  // As the version before stored them: without a number of the reader, and without newer fields.
  const database = new DatabaseSync(join(own.dataFolder, 'knowledge.sqlite'))
  database.exec(`
    UPDATE files SET file = json_remove(file, '$.reader', '$.encoding', '$.separator', '$.chosen');
    UPDATE passage_texts SET text = 'Earlier';
    UPDATE contents SET bytes = zeroblob(100) WHERE file = 2`)
  database.close()
  await own.restart()
  const files = async () => z.array(KnowledgeFile).parse((await own.rest('GET', '/platform/knowledge')).body)
  const textOf = async (fileId = '') =>
    KnowledgeText.parse((await own.rest('GET', `/platform/knowledge/${fileId}/text`)).body).passages[0]?.text
  await eventually(async () => expect(await own.service.storage.knowledge.readEarlier()).toEqual([]))
  const [second, first] = await files()
  expect(first).toMatchObject({ name: 'a.csv', encoding: 'utf-8', separator: ';' })
  expect(await textOf(first?.fileId)).toBe('a: 1; b: 2')
  expect(second).toMatchObject({ name: 'b.txt', encoding: null, chosen: { encoding: null, separator: null } })
  expect(await textOf(second?.fileId)).toBe('Earlier')
})
