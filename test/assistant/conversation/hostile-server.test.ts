import { createServer } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { bytesInTurn, createModelHttp } from '#main/assistant/conversation/model-http.ts'
import { withTextArguments } from '#main/assistant/conversation/text-arguments.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { sharedService } from '../../support/service-fixture.ts'
import { lastMessage, startTalk } from './fixtures.ts'

const cleanService = sharedService()
const many = `${'{},'.repeat(100_000)}{}`

test.each([
  { of: 'a whole answer of many choices', body: `{"choices":[${many}]}` },
  { of: 'a list of many answers', body: `[${many}]` },
  { of: 'a whole answer of many calls', body: `{"choices":[{"message":{"tool_calls":[${many}]}}]}` },
  { of: 'an event of many choices', body: `data: {"choices":[${many}]}\n\n` },
  { of: 'an event between carriage returns', body: `data: {"choices":[${many}]}\r\r` },
  { of: 'an event without an end', body: `data: {"choices":[${many}` },
])('stops at $of', async ({ body }) => {
  const talk = await startTalk({ at: await cleanService() })
  talk.model.script({ status: 200, body })
  await talk.send('Hello')
  expect(lastMessage(await talk.until('failed'))).toMatchObject({ error: { code: 'model_output_too_large' } })
})

// They would keep the thread for minutes: each of them is a line.
test.each(['\n', '\r', 'data:\n\n'])('reads 2 MiB of %j', async piece => {
  const talk = await startTalk({ at: await cleanService() })
  const body = `data: x${piece.repeat((2 * 1024 * 1024 - 100) / piece.length)}`
  talk.model.script({ status: 200, body })
  await talk.send('Hello')
  expect(lastMessage(await talk.until('failed'))).toMatchObject({ ended: 'failed' })
})

test('passes the lines of a piece on together, and any line end as LF', async () => {
  const given = ['data: a\r', '\n\r\ndata: b\r\r', 'da', 'ta: c\n\n', '\n'.repeat(1000)]
  const bytes = given.map(text => Buffer.from(text))
  const pieces: Uint8Array[] = []
  for await (const piece of withTextArguments(ReadableStream.from(bytes))) pieces.push(piece)
  expect(Buffer.concat(pieces).toString()).toBe(`data: a\n\ndata: b\n\ndata: c\n\n${'\n'.repeat(1000)}`)
  expect(pieces.length).toBeLessThanOrEqual(given.length)
})

test('interim responses that nobody asked for are skipped', async () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('data', () => {
      const body = `{"text":"${'HTTP/1.1 100 Continue '.repeat(2)}"}`
      socket.write(`${interim}HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    })
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const http = createModelHttp({})
  onTestFinished(() => http.close())
  for (let count = 0; count < 3; count++)
    expect(await http.json(`http://127.0.0.1:${port}/`, { key: null, timeoutMs: 60_000 })).toEqual({
      text: 'HTTP/1.1 100 Continue HTTP/1.1 100 Continue ',
    })
  expect(sockets.size).toBe(1)
})

test('a response is read in pieces, between which other work has its turn', async () => {
  const server = createServer((_request, response) => void response.end(Buffer.alloc(4 * 1024 * 1024)))
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const http = createModelHttp({})
  onTestFinished(() => http.close())
  const { body } = await http.fetch(`http://127.0.0.1:${port}/`)
  let inTurn = 0
  let most = 0
  let isReading = true
  const nextTurn = () => {
    inTurn = 0
    if (isReading) setImmediate(nextTurn)
  }
  nextTurn()
  for await (const { length } of body ?? []) {
    inTurn += length
    most = Math.max(most, inTurn)
  }
  isReading = false
  expect(most).toBeLessThanOrEqual(2 * bytesInTurn)
})
