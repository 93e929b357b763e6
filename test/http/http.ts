import { request } from 'node:http'
import { adminToken } from '../support/service-fixture.ts'

export type HttpAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export type HttpCall = {
  readonly method?: string
  /** Sent as it stands: nothing is decoded, encoded or resolved. */
  readonly path?: string
  /** Host and Origin too, which `fetch` would not let through. An absent Host is left out with null. */
  readonly headers?: Readonly<Record<string, string>>
  readonly host?: string | null
  readonly body?: string
}

export const bearer = { authorization: `Bearer ${adminToken}` }

/** @param baseUrl of the server; only its address is used. */
export function http(baseUrl: string, call: HttpCall = {}): Promise<HttpAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const { method = 'GET', path = '/api/v1/health', headers = {}, host, body } = call
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        method,
        path,
        setHost: host === undefined,
        headers: { ...headers, ...(typeof host === 'string' && { host }) },
        agent: false,
      },
      response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The code of an error's body. */
export function codeOf({ text }: HttpAnswer): unknown {
  const body: unknown = JSON.parse(text)
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
}
