import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { expectFailedCall, serveRaw, startCaller } from './support.ts'

describe('the time limit is for the whole call, and exact', () => {
  // A busy machine needs part of it to connect.
  const timeoutMs = 1000

  async function expectTimeout(url: string, message: RegExp, options = {}) {
    const started = performance.now()
    // Counts the time in which this process ran: what a busy machine takes away from it is not late.
    let ticks = 0
    const ticking = setInterval(() => ticks++, 10)
    const outcome = await startCaller(options).run(url, {}, {}, { timeoutMs })
    clearInterval(ticking)
    const took = performance.now() - started
    expectFailedCall(outcome, 'timeout', message)
    expect(took).toBeGreaterThan(timeoutMs - 5)
    expect(ticks * 10).toBeLessThan(timeoutMs + 200)
    expect(outcome.timings.totalMs).toBeLessThanOrEqual(took)
  }

  test('where the head never comes', async () => {
    const { url } = await serveRaw(() => {})
    await expectTimeout(
      url,
      /^The complete response did not arrive within 1 s: 127\.0\.0\.1:\d+ had not started to respond\.$/,
    )
  })

  test('where the head comes byte by byte', async () => {
    const { url } = await serveRaw(socket => drip(socket, 'HTTP/1.1 200 OK\r\nX-Long: '))
    await expectTimeout(url, /had not started to respond/)
  })

  test('where the body comes byte by byte', async () => {
    const { url } = await serveRaw(socket =>
      drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'),
    )
    await expectTimeout(url, /only \d+ bytes of the body had arrived/)
  })

  test('where the name is not resolved', async () => {
    await expectTimeout('http://slow.example', /no connection to slow\.example/, {
      lookup: () => {},
    })
  })

  /** A byte every few milliseconds, until the other side goes. */
  function drip(socket: Socket, start: string) {
    socket.write(start)
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
  }
})
