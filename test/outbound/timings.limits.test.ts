import type { LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { parameter, serve, serveRaw, startCaller } from './support.ts'

/** Answers in pieces with a pause before each, the second from when the caller, in this process, can have the first. */
async function slowServer(beforeHead: number, beforeBody: number) {
  return serve((request, response) => {
    request.resume()
    setTimeout(() => {
      response.writeHead(200, { 'Content-Length': '2' })
      const pause = () => setTimeout(() => response.end('}'), beforeBody)
      // Sockets are read between one immediate and the next.
      response.write('{', () => setImmediate(() => setImmediate(pause)))
    }, beforeHead)
  })
}

describe('timings', () => {
  test('tell apart waiting and reading, and add up to no more than the total', async () => {
    const { port } = await slowServer(80, 60)
    const lookup: LookupFunction = (_name, _options, callback) => {
      setTimeout(() => callback(null, [{ address: '127.0.0.1', family: 4 }]), 50)
    }
    // Several times: a busy machine may take the processor away between two of the parts.
    await eventually(async () => {
      const call = startCaller({ lookup }).run(`http://named.example:${port}`, { method: 'POST' })
      const { totalMs, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = (await call).timings
      expect(dnsMs).toBeGreaterThan(45)
      expect(connectMs).toBeGreaterThan(0)
      expect(tlsMs).toBe(0)
      expect(firstByteMs).toBeGreaterThan(75)
      expect(downloadMs).toBeGreaterThan(55)
      expect(dnsMs + connectMs + firstByteMs + downloadMs).toBeLessThanOrEqual(totalMs + 0.01)
      expect(totalMs).toBeLessThan(dnsMs + connectMs + firstByteMs + downloadMs + 400)
    })
  })

  test('of a connection that was kept have nothing before the request', async () => {
    const { url, connections } = await serve((_request, response) => response.end('{}'))
    const caller = startCaller({ limits: { connections: 1 } })
    const first = await caller.run(url)
    expect(first.timings.connectMs).toBeGreaterThan(0)
    for (let count = 0; count < 5; count++) {
      const { timings } = await caller.run(url)
      expect(timings).toMatchObject({ dnsMs: 0, connectMs: 0, tlsMs: 0 })
      expect(timings.firstByteMs).toBeGreaterThan(0)
    }
    expect(connections()).toBe(1)
  })

  test('of many calls at once belong to each one', async () => {
    const { url } = await serve((request, response) => {
      const wait = Number(new URL(request.url ?? '', 'http://h').searchParams.get('wait'))
      setTimeout(() => response.end('{}'), wait)
    })
    const caller = startCaller()
    const waits = Array.from({ length: 40 }, (_, index) => (index % 4) * 60)
    const outcomes = await Promise.all(
      waits.map(wait => caller.run(url, { parameters: [parameter('wait', 'number')] }, { wait })),
    )
    outcomes.forEach(({ timings }, index) => {
      expect(timings.firstByteMs).toBeGreaterThan((waits[index] ?? 0) - 3)
    })
  })

  test('of a call that failed say how far it came', async () => {
    const { url } = await serveRaw(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'))
    await eventually(async () => {
      const { timings } = await startCaller().run(url, {}, {}, { timeoutMs: 200 })
      expect(timings.connectMs).toBeGreaterThan(0)
      expect(timings.firstByteMs).toBeGreaterThan(0)
      expect(timings.downloadMs).toBeGreaterThan(100)
      expect(timings.totalMs).toBeGreaterThan(195)
    })
  })

  test('of a connection begun for a call that gave up count from the start of the next', async () => {
    let answer = () => {}
    const { port } = await serve((_request, response) => response.end('{}'))
    const caller = startCaller({
      limits: { connections: 1 },
      lookup: (_name, _options, callback) => {
        answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }])
      },
    })
    const url = `http://named.example:${port}`
    expect((await caller.run(url, {}, {}, { timeoutMs: 150 })).error?.code).toBe('timeout')
    const started = performance.now()
    const second = caller.run(url)
    answer()
    const { ok, timings } = await second
    const tookMs = performance.now() - started
    expect(ok).toBe(true)
    // The first call's wait of 150 ms for the same name is not part of it.
    expect(timings.dnsMs).toBeLessThanOrEqual(tookMs)
    expect(timings.totalMs).toBeGreaterThanOrEqual(timings.dnsMs + timings.connectMs)
  })
})
