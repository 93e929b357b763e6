import { duplexPair } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { createLineTransport } from '#main/assistant/mcp/line-transport.ts'

async function open(graceMs?: number) {
  const [client, service] = duplexPair()
  const transport = createLineTransport(service, graceMs)
  const received: JSONRPCMessage[] = []
  const closed = Promise.withResolvers<void>()
  transport.onmessage = message => void received.push(message)
  transport.onclose = closed.resolve
  let text = ''
  client.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  await transport.start()
  onTestFinished(() => void client.destroy())
  return { client, transport, received, closed: closed.promise, answers: () => text }
}
const request = (id: number, method = 'tools/list') => ({ jsonrpc: '2.0' as const, id, method })

test('reads messages however their bytes are cut, and skips empty lines', async () => {
  const { client, received, closed } = await open(50)
  const bytes = Buffer.from(`\r\n${JSON.stringify({ ...request(1), params: { text: 'žluťoučký' } })}\r\n\n`)
  for (const byte of bytes) client.write(Buffer.of(byte))
  client.end(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n`)
  await expect.poll(() => received).toHaveLength(2)
  expect(received[0]).toMatchObject({ id: 1, params: { text: 'žluťoučký' } })
  client.destroy()
  await closed
})

test('answers a line that is not JSON or not a message, and continues', async () => {
  const { client, received, answers } = await open()
  const deep = `{"jsonrpc":"2.0","id":9,"method":"a","params":{"a":${'['.repeat(2000)}${']'.repeat(2000)}}}`
  const many = deep.replace(/\[+\]+/, `[${'0,'.repeat(20_000)}0]`)
  client.write(`nonsense\n{}\n[]\n1\n${deep}\n${many}\n${JSON.stringify(request(1))}\n`)
  await expect.poll(() => received).toHaveLength(1)
  await expect.poll(() => answers().match(/-32700/g)).toHaveLength(1)
  expect(answers().match(/-32600/g)).toHaveLength(5)
})

test.each(['2024-11-05', '2025-03-26'])('answers a batch of a client of %s with one list', async version => {
  const { client, transport, received, answers } = await open()
  const result = { protocolVersion: version, capabilities: {}, serverInfo: { name: 'x', version: '1' } }
  client.write(`${JSON.stringify(request(0, 'initialize'))}\n`)
  await expect.poll(() => received).toHaveLength(1)
  await transport.send({ jsonrpc: '2.0', id: 0, result })
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
  client.write(`${JSON.stringify([request(1), request(2), cancelled, request(3)])}\n`)
  await expect.poll(() => received).toHaveLength(5)
  await transport.send({ jsonrpc: '2.0', id: 3, result: {} })
  await transport.send({ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'no' } })
  await expect.poll(() => answers().trim().split('\n').length).toBe(2)
  expect(JSON.parse(answers().split('\n')[1] ?? '')).toMatchObject([{ id: 3, result: {} }, { id: 1 }])
})

test.each(['2025-06-18', '2025-11-25', null])('refuses a batch of a client of %s', async version => {
  const { client, transport, received, answers } = await open()
  if (version !== null) {
    const result = { protocolVersion: version, capabilities: {}, serverInfo: { name: 'x', version: '1' } }
    await transport.send({ jsonrpc: '2.0', id: 0, result })
  }
  client.write(`${JSON.stringify([request(1)])}\n${JSON.stringify(request(2))}\n`)
  await expect.poll(() => received).toMatchObject([{ id: 2 }])
  expect(answers()).toContain('"code":-32600')
})

test('closes when a line is longer than 4 MiB', async () => {
  const { client, closed, answers } = await open()
  client.write('x'.repeat(4 * 1024 * 1024 + 1))
  await closed
  await expect.poll(answers).toContain('at most 4194304 bytes')
})

test('waits for the answers to what was asked before the end, but not for a subscription', async () => {
  const { client, transport, received, closed, answers } = await open()
  client.end(`${JSON.stringify(request(1))}\n${JSON.stringify(request(2, 'subscriptions/listen'))}\n`)
  await expect.poll(() => received).toHaveLength(2)
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  await closed
  expect(answers()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
})

test('disconnects a client that asks without reading, before its answers fill the memory', async () => {
  const [client, service] = duplexPair()
  const transport = createLineTransport(service)
  const closed = Promise.withResolvers<void>()
  transport.onclose = closed.resolve
  const result = { text: 'x'.repeat(1024 * 1024) }
  let most = 0
  transport.onmessage = message => {
    if ('id' in message && message.id !== undefined)
      void transport.send({ jsonrpc: '2.0', id: message.id, result })
    most = Math.max(most, service.writableLength)
  }
  await transport.start()
  onTestFinished(() => void client.destroy())
  client.write(Array.from({ length: 100 }, (_, id) => `${JSON.stringify(request(id))}\n`).join(''))
  await closed.promise
  expect(most).toBeLessThan(66 * 1024 * 1024)
})
