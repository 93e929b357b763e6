import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepareSender } from '#main/signing/prepare-sender.ts'
import { proofBodyOf } from '#main/signing/proof-body.ts'
import { readHead } from '#main/signing/read-sender.ts'
import type { SenderHead } from '#main/signing/sender-head.ts'
import { movableProblem, Sender } from '#shared/model/sender/sender.ts'

const nowMs = 1_795_253_400_000
const base = 'https://in.example/api/connect/tok/events'

const placeholders = [
  ...['timestamp', 'id', 'url', 'method', 'path', 'query', 'bodyHash', 'bodyCrc32', 'body'],
  ...['header:x-a', 'header:x-b', 'body:f', 'line:F:f', 'setting:s'],
] as const

/** Texts that are often equal to what separates values. */
const scrap = fc.string({ unit: fc.constantFrom('.', ':', '0', '1', 'a', '\n', 'Z'), maxLength: 4 })
const separator = fc.constantFrom('', '', '.', ':', '.0', '\n', '1.', 'Z')
const iso = fc.constantFrom('2026-11-21T09:30:00Z', '2026-11-21T09:30:00.0Z', '2026-11-21T10:30:00.00+01:00')
const timestamp = fc.constantFrom('1795253400', '1795253401', '1795253410')

const requests = fc.record({
  id: scrap,
  a: scrap,
  b: scrap,
  query: scrap.map(text => text.replaceAll('\n', '%0A')),
  f: fc.option(scrap),
  raw: scrap,
  time: timestamp,
  iso,
})

const described = fc.record({
  kinds: fc.uniqueArray(fc.constantFrom(...placeholders), { minLength: 2, maxLength: 5 }),
  separators: fc.array(separator, { minLength: 6, maxLength: 6 }),
  isIso: fc.boolean(),
})

type Described = typeof described extends fc.Arbitrary<infer Value> ? Value : never
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never

function senderOf({ kinds, separators, isIso }: Described) {
  const has = (kind: string) => kinds.some(one => one === kind)
  const signed = kinds.map((kind, index) => `${separators[index]}{{${kind}}}`).join('') + separators[5]
  return Sender.safeParse({
    ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed, settings: { s: '.' } },
    ...(has('timestamp') && { timestampHeader: 'x-time', timestampUnit: isIso ? 'iso' : 's' }),
    ...(has('id') && { idHeader: 'x-id' }),
    eventName: { path: 'event' },
  })
}

/** Returns the body, which is JSON only where a field of it is signed. */
function bodyOf({ kinds }: Described, { f, raw }: Request): string {
  const hasField = kinds.some(kind => kind.endsWith(':f'))
  return hasField ? JSON.stringify({ ...(f !== null && { f }), raw }) : raw
}

function headOf(sender: Sender, one: Described, request: Request): SenderHead {
  const { id, a, b, query } = request
  const time = one.isIso ? request.iso : request.time
  const rawHeaders = ['x-sig', '00'.repeat(32), 'x-id', id, 'x-a', a, 'x-b', b, 'x-time', time]
  const body = proofBodyOf(Buffer.from(bodyOf(one, request)))
  const url = () => (query === '' ? base : `${base}?${query}`)
  return readHead(prepareSender(sender, []), { rawHeaders, url, body }, nowMs)
}

/** Returns the signed text of a request; null for one that is refused whatever its signature is. */
function signedTextOf(sender: Sender, one: Described, request: Request): string | null {
  const { signed, time } = headOf(sender, one, request)
  if (signed.problem !== null || (time !== null && time.problem !== null)) return null
  return signed.before + (signed.hasBody ? bodyOf(one, request) : '') + signed.after
}

/** Returns what a placeholder stands for. */
function textOf(one: Described, request: Request, kind: (typeof placeholders)[number]): string {
  const body = bodyOf(one, request)
  const target = request.query === '' ? base : `${base}?${request.query}`
  return {
    timestamp: one.isIso ? request.iso : request.time,
    ...{ id: request.id, url: target, method: 'POST', path: new URL(base).pathname, query: request.query },
    ...{ 'header:x-a': request.a, 'header:x-b': request.b, body, 'setting:s': '.' },
    bodyHash: createHash('sha256').update(body).digest('hex'),
    bodyCrc32: String(crc32(body)),
    'body:f': request.f ?? '',
    'line:F:f': request.f === null ? '' : `F\n${request.f}\n`,
  }[kind]
}

/** Returns all that a signature covers, value by value. */
const coveredOf = (one: Described, request: Request) =>
  JSON.stringify(one.kinds.map(kind => textOf(one, request, kind)))

const places = { id: 'id', 'header:x-a': 'a', 'header:x-b': 'b', body: 'raw' } as const
const isFree = (kind: string): kind is keyof typeof places => Object.hasOwn(places, kind)

/**
 * Returns two requests of which the second has bytes of one value in another, so that a signature of their joined values
 * would be right for both; null if none can move.
 */
function movedBetween(one: Described, request: Request, at: number): readonly [Request, Request] | null {
  const free = one.kinds.flatMap((kind, index) => (isFree(kind) ? [{ place: places[kind], index }] : []))
  const [from, to] = [free[at % Math.max(1, free.length - 1)], free[(at % Math.max(1, free.length - 1)) + 1]]
  if (from === undefined || to === undefined) return null
  const texts = one.kinds.map(kind => textOf(one, request, kind))
  const between = one.kinds
    .slice(from.index + 1, to.index)
    .map((_kind, offset) => (one.separators[from.index + 1 + offset] ?? '') + texts[from.index + 1 + offset])
    .concat(one.separators[to.index] ?? '')
    .join('')
  const freeText = (place: (typeof places)[keyof typeof places]) => request[place] ?? ''
  // The separator is in one of the two values.
  const parts = [freeText(from.place), freeText(to.place)]
  const [left = '', right = ''] = parts
  const split = [left.slice(0, 2), left.slice(2), right]
  const [a = '', b = '', c = ''] = split
  return [
    { ...request, [from.place]: a + between + b, [to.place]: c },
    { ...request, [from.place]: a, [to.place]: b + between + c },
  ]
}

test('two requests to an own template never have the same signed text', () => {
  const tried = { right: 0, refused: 0 }
  fc.assert(
    fc.property(described, requests, fc.nat(3), (one, request, at) => {
      const read = senderOf(one)
      fc.pre(read.success && movableProblem(read.data) === null)
      const sender = Sender.parse(read.data)
      const pair = movedBetween(one, request, at)
      fc.pre(pair !== null)
      if (pair === null) return
      if (signedTextOf(sender, one, request) !== null) tried.right++
      const texts = pair.map(each => signedTextOf(sender, one, each))
      if (texts.includes(null)) {
        tried.refused++
        return
      }
      if (texts[0] === texts[1]) expect(coveredOf(one, pair[1])).toBe(coveredOf(one, pair[0]))
    }),
    { numRuns: 1000 },
  )
  // Otherwise the test would prove nothing.
  expect(tried.right).toBeGreaterThan(200)
  expect(tried.refused).toBeGreaterThan(200)
})
