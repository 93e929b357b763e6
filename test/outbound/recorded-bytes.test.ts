import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { parameter, startCaller } from './support.ts'

/** The bytes that the program sent before parameters could say where and how they are sent. */
const recorded: Record<string, string> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/outbound/recorded-requests.json'), 'utf8'),
)

const text = parameter('a', 'string')
const values = [text, parameter('n', 'number'), parameter('b', 'boolean'), parameter('o', 'object')]
const given = {
  ...{ a: 'Grüße & =?#/%2F +\n', n: -0.000_000_15, b: false },
  o: { list: [1, null, { deep: 'ü"\\' }], 'a b': {} },
}
const strange = [parameter('a[0]', 'string'), parameter('x.y', 'number'), parameter('Content-Type', 'string')]
const strangely = { 'a[0]': '[]', 'x.y': 1e21, 'Content-Type': 'text/plain' }

type Call = readonly [fields: Partial<ActionFields>, given: Record<string, unknown>, basePath?: string]

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const calls: Record<string, Call> = Object.fromEntries(
  methods.flatMap((method): [string, Call][] => [
    [`${method} without parameters`, [{ method, path: '/x' }, {}]],
    [`${method} with each type`, [{ method, path: '/x', parameters: values }, given]],
    [
      `${method} with some left out`,
      [
        { method, path: '/x', parameters: values },
        { b: null, n: 12345678901234567000 },
      ],
    ],
    [
      `${method} with a fixed query`,
      [{ method, path: '/x?v=1&w=%20', parameters: [text] }, { a: 'z' }, '/v2/'],
    ],
    [`${method} with strange names`, [{ method, path: '/ä b/%41', parameters: strange }, strangely]],
    [
      `${method} with headers`,
      [
        { method, path: '/', parameters: [text], headers: { 'X-Key': 'k {{KEY}}', Accept: 'text/plain' } },
        { a: '' },
      ],
    ],
    ...['application/xml', 'application/x-www-form-urlencoded', 'application/vnd.a+json; charset=utf-8'].map(
      (type): [string, Call] => [
        `${method} as ${type}`,
        [{ method, path: '/', parameters: values, headers: { 'content-type': type } }, given],
      ],
    ),
  ]),
)

/** Sends a call. @returns its request as it came, with PORT for the port. */
async function sent([fields, args, basePath = '']: Call): Promise<string> {
  const pieces: Buffer[] = []
  const server = createServer(socket => {
    socket.on('data', piece => {
      pieces.push(piece)
      const came = Buffer.concat(pieces)
      const [head = ''] = came.toString('latin1').split('\r\n\r\n', 1)
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (came.length >= head.length + 4 + length) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const caller = startCaller({ variables: { KEY: 'secret' }, clock: () => 1_790_000_000_000 })
  const { error } = await caller.run(`http://127.0.0.1:${port}${basePath}`, fields, args)
  expect(error).toBeNull()
  return Buffer.concat(pieces).toString().replaceAll(`:${port}`, ':PORT')
}

test.each(Object.entries(calls))('%s is sent as it was', async (name, call) => {
  expect(await sent(call)).toBe(recorded[name])
})

test('no recorded request is left over', () => {
  expect(Object.keys(recorded)).toEqual(Object.keys(calls))
})
