import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectToService } from '#main/cli/service-client.ts'
import { postEvent } from '#main/inbound/post-event.ts'
import { createReadThrottle } from '#main/lib/read-throttle.ts'
import { postSignerOf } from '#main/signing/sign-as.ts'
import { dataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { contract } from '#shared/contract/index.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { bearer } from './http/http.ts'
import { serveRaw, startCaller } from './outbound/support.ts'
import { temporaryFolder } from './support/cli-service.ts'
import { eventually } from './support/eventually.ts'
import { bytesInUse, inSingleBytes } from './support/memory.ts'
import { startService } from './support/service-fixture.ts'
import { acceptedSockets, openedSockets } from './support/sockets.ts'

const size = 128 * 1024
const mebibyte = 1024 * 1024
const json = Buffer.from(JSON.stringify({ fill: 'x'.repeat(size - 11) }))
const pieces = inSingleBytes(json)
const chunkedHead = 'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n'

/** Waits until one of the sockets has read so many bytes, and tells how much more memory is in use than before. */
async function expectLittleMemory(sockets: readonly Socket[], before: number): Promise<void> {
  const hasRead = () => sockets.some(({ bytesRead }) => bytesRead >= pieces.length)
  await eventually(() => expect(hasRead()).toBe(true))
  // As single chunks the body takes 50 MB.
  await expect.poll(() => bytesInUse() - before).toBeLessThan(2 * size + 2 * mebibyte)
}

/** A server that answers in single bytes, and ends its answer when the test says so. */
async function startDripping() {
  const answered = Promise.withResolvers<() => void>()
  const system = await serveRaw(socket => {
    socket.write(`HTTP/1.1 200 OK\r\n${chunkedHead}`)
    socket.write(pieces)
    answered.resolve(() => void socket.write('0\r\n\r\n'))
  })
  return { ...system, answered: answered.promise }
}

describe('a reader of a socket that is fed single bytes takes memory for the bytes and not for the pieces:', () => {
  test.each([
    ['REST', '/api/v1/connections', {}],
    ['a call of the dashboard', '/rpc/connections/create', { 'x-csrf-token': 'orpc' }],
  ])('%s', async (_name, path, headers) => {
    const { dashboardUrl } = await startService()
    const accepted = acceptedSockets()
    const { hostname, port } = new URL(dashboardUrl)
    const lines = Object.entries({ ...bearer, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const before = bytesInUse()
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join('')}${chunkedHead}`)
    socket.write(pieces)
    await expectLittleMemory(accepted, before)
    socket.write('0\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('the answer to a call of an action', async () => {
    const { url, answered } = await startDripping()
    const opened = openedSockets()
    const { run } = startCaller()
    const before = bytesInUse()
    const outcome = run(url)
    const end = await answered
    await expectLittleMemory(opened, before)
    end()
    expect(await outcome).toMatchObject({ ok: true, response: { bytes: json.length } })
  })

  test('the answer to a sent event', async () => {
    const { url, answered } = await startDripping()
    const opened = openedSockets()
    const agent = new Agent()
    onTestFinished(() => agent.destroy())
    const before = bytesInUse()
    const sent = postEvent(
      { url, sign: postSignerOf(defaultSender, 'whsec_x'), body: '{}', dispatcher: agent },
      Date.now(),
    )
    const end = await answered
    await expectLittleMemory(opened, before)
    end()
    expect(await sent).toMatchObject({ status: 200, body: { fill: expect.any(String) } })
  })

  test('what the service answers to the command line', async () => {
    const folder = dataFolderPaths(temporaryFolder())
    const answered = Promise.withResolvers<() => void>()
    const server = createServer((_request, { socket }) => {
      socket?.write(`HTTP/1.1 200 OK\r\n${chunkedHead}`)
      socket?.write(pieces)
      answered.resolve(() => void socket?.write('0\r\n\r\n'))
    })
    server.listen(folder.socketPath)
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const facts = { pid: process.pid, socketPath: folder.socketPath, token: 'x' }
    await writeFile(
      folder.serviceFile,
      JSON.stringify({ ...facts, listenerUrl: 'http://x', dashboardUrl: null }),
    )
    const client = await connectToService(folder.path)
    onTestFinished(() => client.close())
    const opened = openedSockets()
    const before = bytesInUse()
    const answer = client.call(contract.settings.update, {})
    const end = await answered.promise
    await expectLittleMemory(opened, before)
    end()
    await expect(answer).rejects.toMatchObject({ code: 'internal_error' })
  })
})

test('readers that are throttled take turns, one at a time', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const throttle = createReadThrottle(10)
  const turns: string[] = []
  const read = (name: string) => () => {
    turns.push(name)
    throttle.wait(read(name))
  }
  for (const name of ['a', 'b', 'c']) throttle.wait(read(name))
  expect(turns).toEqual([])
  vi.advanceTimersByTime(100)
  expect(turns.slice(0, 5)).toEqual(['a', 'b', 'c', 'a', 'b'])
  const taken = turns.length
  expect(taken).toBeLessThanOrEqual(10)
  throttle.stop()
  vi.advanceTimersByTime(100)
  expect(turns).toHaveLength(taken)
})
