import {
  Client,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'

/** Today's protocol, and the last one of 2025. */
export const generations = ['2026-07-28', '2025-11-25'] as const
export type Generation = (typeof generations)[number] | '2025-06-18'

export type McpConnection = {
  readonly client: Client
  /** Resolves when the client is told the next time that its tools have changed, with those it then lists. */
  nextTools(): Promise<Tool[]>
}

/** Connects the SDK's client, which is closed after the test. */
export async function connectMcp(
  transport: Transport,
  generation: Generation,
  name = 'Test client',
): Promise<McpConnection> {
  const waiting = new Set<(tools: Tool[]) => void>()
  const isModern = generation === '2026-07-28'
  const client = new Client(
    { name, version: '1.2.3' },
    {
      versionNegotiation: { mode: isModern ? { pin: generation } : 'legacy' },
      ...(!isModern && { supportedProtocolVersions: [generation] }),
      listChanged: {
        tools: {
          debounceMs: 0,
          // The error is that of a list that the end of the test has cut off.
          onChanged(_error, tools) {
            if (tools === null) return
            for (const resolve of waiting) resolve(tools)
            waiting.clear()
          },
        },
      },
    },
  )
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, nextTools: () => new Promise(resolve => void waiting.add(resolve)) }
}

/** Returns a transport to an address with a bearer token. */
export function httpTransport(
  url: string,
  token: string,
  send: typeof fetch = fetch,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: send,
  })
}
