import { z } from 'zod'
import { Connection, Credentials } from '#shared/model/connection.ts'
import { Issue } from '#shared/model/issue.ts'

export type RestAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON of the text. */
  readonly body: unknown
}

export type RestMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** @param body sent as JSON; none when it is undefined. */
export type Rest = (method: RestMethod, path: string, body?: unknown) => Promise<RestAnswer>

/** @param baseUrl the dashboard's, asked for each call. */
export function createRest(baseUrl: () => string, token: string): Rest {
  return async (method, path, body) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    const init: RequestInit = { method, headers }
    if (body !== undefined) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(body)
    }
    return readAnswer(await fetch(`${baseUrl()}/api/v1${path}`, init))
  }
}

export async function readAnswer(response: Response): Promise<RestAnswer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}

export const CreatedConnection = z.strictObject({
  ...Connection.shape,
  credentials: z.strictObject(Credentials.shape),
})
export type CreatedConnection = z.infer<typeof CreatedConnection>

/** Creates a connection over REST. */
export async function createConnection(rest: Rest, fields: object = {}): Promise<CreatedConnection> {
  const { body } = await rest('POST', '/connections', { name: 'Shop', ...fields })
  return CreatedConnection.parse(body)
}

/** The answer to a wrong call: its code, and where it says what is wrong. */
export const ErrorBody = z.strictObject({
  code: z.string(),
  message: z.string(),
  data: z
    .strictObject({
      issues: z.array(
        z.strictObject(Issue.pick({ path: true, message: true, code: true, line: true, column: true }).shape),
      ),
    })
    .optional(),
})

/** The dot-paths of an error's issues, sorted. */
export function issuePaths(answer: RestAnswer): string[] {
  return (ErrorBody.parse(answer.body).data?.issues ?? []).map(issue => issue.path).sort()
}

export function errorCode(answer: RestAnswer): string {
  return ErrorBody.parse(answer.body).code
}
