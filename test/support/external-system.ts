import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { hmacHex } from '../signing/sender.ts'

export type SystemRequest = {
  readonly method: string
  /** Path and query as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type ExternalSystem = {
  readonly url: string
  /** The requests that it received, oldest first. */
  readonly requests: SystemRequest[]
}

/** Whether a request is signed with this secret, by the specification and without the project's own code. */
export function isSigned({ headers, body }: SystemRequest, secret: string): boolean {
  const message = `${headers['x-service-timestamp']}.${body}`
  return headers['x-service-signature'] === `sha256=${hmacHex(secret, message)}`
}

type Answer = (request: SystemRequest, response: ServerResponse) => void
const ok: Answer = (_request, response) =>
  void response.setHeader('content-type', 'application/json').end('{"ok":true}')

/** An external system on a free port, for this test alone. It answers `{"ok":true}` unless told otherwise. */
export async function startExternalSystem(answer: Answer = ok): Promise<ExternalSystem> {
  const { close, ...system } = await openExternalSystem(answer)
  onTestFinished(close)
  return system
}

/** The same for more than a test; the caller closes it. */
export async function openExternalSystem(answer: Answer): Promise<ExternalSystem & { close(): void }> {
  const requests: SystemRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    // One that is given up midway has no end.
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(request)
      answer(request, response)
    })
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
