/** Prism, which answers as an OpenAPI document says and judges each request against it, behind a recorder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../support/free-port.ts'
import { newFolder, removeFolder } from './processes.ts'

/** A request as it came, and what is wrong with it according to the document. */
export type Judged = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly status: number
  readonly faults: readonly string[]
}

export type Prism = {
  /** Where the recorder listens. */
  readonly url: string
  /** Returns the requests since the last call. */
  take(): Judged[]
  stop(): Promise<void>
}

const Violations = z
  .string()
  .transform(text => JSON.parse(text))
  .pipe(z.array(z.object({ location: z.array(z.string()), severity: z.string(), message: z.string() })))
const Problem = z.object({ type: z.string(), title: z.string() })
/** The problems that Prism has with requests; others are about what it would answer. */
const aboutRequests =
  /#(NO_PATH_MATCHED|NO_METHOD_MATCHED|UNAUTHORIZED|INVALID_CONTENT_TYPE|UNPROCESSABLE_ENTITY)/

/** Hop-by-hop, and those that the client writes itself. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect'])

/** @param tools a folder with `node_modules/@stoplight/prism-cli`. @param text an OpenAPI or Swagger document. */
export async function startPrism(tools: string, text: string): Promise<Prism> {
  const port = await freePort()
  const folder = newFolder()
  const document = join(folder, 'document.json')
  writeFileSync(document, JSON.stringify(withoutAnswers(text)))
  const entry = join(tools, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const child = spawn(
    process.execPath,
    [entry, 'mock', '--host', '127.0.0.1', '--port', String(port), document],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', line => line.includes('is listening') && resolve())
    child.once('exit', code => reject(new Error(`Prism ended with ${code}.`)))
  })

  const judged: Judged[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    const body = await buffer(incoming)
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !ownHeaders.has(name)),
    )
    const answer = await request(`http://127.0.0.1:${port}${url}`, {
      method,
      headers,
      ...(body.length > 0 && { body }),
    })
    const text = await answer.body.text()
    const violations = Violations.safeParse(answer.headers['sl-violations']).data ?? []
    const faults = violations
      .filter(({ location, severity }) => location[0] === 'request' && severity === 'Error')
      .map(({ message }) => message)
    const problem = faults.length === 0 ? problemOf(text) : null
    judged.push({
      method,
      url,
      headers: incoming.headers,
      body: body.toString(),
      status: answer.statusCode,
      faults: problem === null ? faults : [problem],
    })
    outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => judged.splice(0),
    async stop() {
      server.closeAllConnections()
      server.close()
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      removeFolder(folder)
    },
  }
}

const Loose = z.record(z.string(), z.unknown())
const Operations = z
  .object({ paths: z.record(z.string(), Loose), components: Loose.optional(), definitions: Loose.optional() })
  .catchall(z.unknown())

/**
 * Returns a document that judges requests as this one does. Prism would read the schemas of all answers first, which
 * refer to each other so often that it takes minutes.
 */
function withoutAnswers(text: string): unknown {
  const document = Operations.parse(text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text))
  const items = Object.entries(document.paths).map(([path, item]) => {
    const parts = Object.entries(item).map(([name, part]) => {
      const { success, data } = Loose.safeParse(part)
      return [
        name,
        success && 'responses' in data ? { ...data, responses: answers, callbacks: undefined } : part,
      ]
    })
    return [path, Object.fromEntries(parts)]
  })
  const paths = Object.fromEntries(items)
  const used = referredTo(paths, document)
  const kept = (part: unknown, at: string) =>
    Object.fromEntries(Object.entries(Object(part)).filter(([name]) => used.has(`${at}/${name}`)))
  const components = Object.entries(document.components ?? {}).map(([kind, all]) => [
    kind,
    kind === 'securitySchemes' ? all : kept(all, `#/components/${kind}`),
  ])
  const rest = Object.entries(document).filter(([name]) => !name.startsWith('x-') && name !== 'webhooks')
  return {
    ...Object.fromEntries(rest),
    paths,
    ...(document.definitions !== undefined && { definitions: kept(document.definitions, '#/definitions') }),
    ...(document.components !== undefined && { components: Object.fromEntries(components) }),
  }
}
const answers = { 200: { description: 'Accepted' } }

/** Returns the references of a part of a document, and of all that they refer to. */
function referredTo(part: unknown, document: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const left = [part]
  while (left.length > 0) {
    const at = left.pop()
    if (typeof at !== 'object' || at === null) continue
    const { $ref } = at as { readonly $ref?: unknown }
    if (typeof $ref === 'string' && !found.has($ref)) {
      found.add($ref)
      const names = $ref.slice(2).split('/')
      left.push(names.reduce<unknown>((one, name) => Reflect.get(Object(one), unescaped(name)), document))
    }
    left.push(...Object.values(at))
  }
  return found
}

const unescaped = (name: string) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')

/** Returns what Prism has against a request, if its answer is a problem of its own. */
function problemOf(text: string): string | null {
  try {
    const { data } = Problem.safeParse(JSON.parse(text))
    return data !== undefined && aboutRequests.test(data.type) ? data.title : null
  } catch {
    return null
  }
}
