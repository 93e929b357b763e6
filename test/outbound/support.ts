import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type LookupFunction, type Server, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { expect, onTestFinished } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { actionRequest } from '#main/outbound/action-request.ts'
import { createCaller } from '#main/outbound/call.ts'
import type { CallErrorCode } from '#shared/errors/call.ts'
import type { ActionFields } from '#shared/model/action.ts'
import type { CallResult } from '#shared/model/call.ts'
import type { Parameter, ParameterType } from '#shared/model/parameter.ts'
import { waitMs } from '../support/patience.ts'

export const signingSecret = 'whsec_outbound-tests-0123456789'

export function parameter(name: string, type: ParameterType = 'string', required = false): Parameter {
  return { name, type, required, description: `The ${name}.` }
}

export function action(fields: Partial<ActionFields> = {}): ActionFields & { readonly actionId: string } {
  return {
    actionId: 'act_test',
    name: 'Look up',
    toolName: 'look_up',
    description: 'Looks something up.',
    method: 'GET',
    path: '/',
    headers: null,
    parameters: [],
    responseMapping: null,
    isEnabled: true,
    ...fields,
  }
}

type CallerOptions = Parameters<typeof createCaller>[0]

/** A caller that is closed when the test ends, and a short way to call an action with it. */
export function startCaller(
  options: Partial<CallerOptions> & { variables?: Record<string, string>; ca?: string } = {},
) {
  const { variables = {}, ca, ...rest } = options
  const context = ca === undefined ? undefined : createSecureContext({ ca })
  const caller = createCaller({
    environment: { resolve: name => (Object.hasOwn(variables, name) ? variables[name] : undefined) },
    clock: Date.now,
    version: '1.2.3',
    trust: { context: () => context },
    ...rest,
  })
  onTestFinished(() => caller.close())
  /** Calls an action with a connection's records. */
  const callOf = (
    connection: { baseUrl: string | null; signingSecret: string; timeoutMs: number },
    record: ReturnType<typeof action>,
    given: Record<string, unknown> = {},
    signal?: AbortSignal,
  ) =>
    caller.call(
      actionRequest({ connectionId: 'conn_test', ...connection }, record, given, { source: 'test' }),
      signal,
    )
  return {
    ...caller,
    callOf,
    run(
      baseUrl: string | null,
      fields: Partial<ActionFields> = {},
      given: Record<string, unknown> = {},
      more: { timeoutMs?: number; signal?: AbortSignal } = {},
    ) {
      const { timeoutMs = waitMs, signal } = more
      return callOf({ baseUrl, signingSecret, timeoutMs }, action(fields), given, signal)
    },
  }
}

/** An HTTP server for the time of the test. */
export async function serve(
  listener: RequestListener,
): Promise<{ url: string; port: number; connections(): number }> {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, port, connections: () => connections }
}

/** A TCP server that hands out each connection once a whole request head has come. */
export async function serveRaw(
  answer: (socket: Socket, head: string) => void,
  { server = createTcpServer() as Server, host = '127.0.0.1' } = {},
): Promise<{ port: number; url: string }> {
  const sockets = new Set<Socket>()
  server.on('secureConnection', onSocket)
  if (!('setSecureContext' in server)) server.on('connection', onSocket)
  function onSocket(socket: Socket) {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = text.slice(0, end)
      text = text.slice(end + 4)
      answer(socket, head)
    })
  }
  const { port } = await listenOn(server, host, 0)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port, url: `http://127.0.0.1:${port}` }
}

/** Resolves names from a table, in which a name may have several addresses; all others do not exist. */
export function lookupIn(table: Record<string, string[] | (() => string[])>): LookupFunction {
  return (hostname, options, callback) => {
    const entry = table[hostname]
    const found = typeof entry === 'function' ? entry() : entry
    queueMicrotask(() => {
      if (found === undefined) {
        callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND', hostname }), [])
        return
      }
      const addresses = found.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
      const [first] = addresses
      if (options.all === true || first === undefined) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** Expects a call to fail so, with a request shown and no answer. */
export function expectFailedCall(outcome: CallResult, code: CallErrorCode, message: RegExp | string): void {
  expect(outcome).toMatchObject({ ok: false, response: null, result: null, mapped: null })
  expect(outcome.error).toMatchObject({ code, message: expect.stringMatching(message) })
  expect(outcome.request).not.toBeNull()
}
