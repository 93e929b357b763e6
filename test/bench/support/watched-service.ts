import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { adminToken, Served, serveArguments, startProgram } from './processes.ts'

const watchLoop = join(import.meta.dirname, 'watch-loop.ts')

export type Answered = {
  readonly milliseconds: number
  /** The longest time for which the event loop of the service was blocked meanwhile, in milliseconds. */
  readonly blockedMs: number
  readonly body: unknown
}

export type WatchedService = Awaited<ReturnType<typeof startWatched>>

/** Starts the headless service on a data folder, with a watch over the event loop of its main thread. */
export async function startWatched(folder: string, env: Readonly<Record<string, string>> = {}) {
  const startedAt = performance.now()
  const program = await startProgram(['--import', watchLoop, ...serveArguments(folder)], Served, ['ipc'], {
    env,
  })
  const startMs = performance.now() - startedAt
  const child = program.process

  /** Returns the longest time, in milliseconds, for which the loop was blocked since the last call of this. */
  async function blockedMs(): Promise<number> {
    const answer = once(child, 'message')
    child.send('blocked')
    const [milliseconds] = await answer
    return z.number().parse(milliseconds)
  }

  let session: string | null = null

  /** Calls a path of the dashboard's port and reads the answer to its end. */
  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${program.line.dashboardUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(session !== null && { 'mcp-session-id': session }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    session ??= response.headers.get('mcp-session-id')
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
  }

  return {
    ...program,
    startMs,
    blockedMs,
    /** Calls REST below /api/v1. */
    call: (method: string, path: string, body?: object) => send(method, `/api/v1${path}`, body),
    /** Opens a session at the MCP server of the default workspace, which `mcp` then uses. */
    openMcp: () =>
      send('POST', '/mcp', {
        ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'bench', version: '1' },
        },
      }),
    mcp: (method: string, params: object) => send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params }),
    /** Measures some work on a loop that was left alone before. */
    async measured(work: () => Promise<unknown>): Promise<Answered> {
      await delay(20)
      await blockedMs()
      const from = performance.now()
      const body = await work()
      const milliseconds = performance.now() - from
      return { milliseconds, blockedMs: await blockedMs(), body }
    },
    /** Returns the resident set in units of 10^6 bytes; Linux only. */
    megabytes(): number {
      const status = readFileSync(`/proc/${program.line.pid}/status`, 'utf8')
      return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
    },
  }
}
