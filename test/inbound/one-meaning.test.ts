import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admit } from '#main/inbound/admit.ts'
import { examine } from '#main/inbound/examine.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { type DatedSecret, prepareSender } from '#main/signing/prepare-sender.ts'
import { matchHead, readHead } from '#main/signing/read-sender.ts'
import { signerOf } from '#main/signing/sign-as.ts'
import { verificationKeysOf } from '#main/signing/verify.ts'
import { isAboutSignature } from '#shared/errors/inbound.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { movableProblem, Sender } from '#shared/model/sender/sender.ts'
import { recordNamed } from '../support/connection-records.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { exchange } from '../support/raw-http.ts'
import { pathOf } from '../support/sender.ts'

const nowMs = 1_795_253_400_000
const base = 'https://in.example'
const target = pathOf('token')
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const record = { ...recordNamed('first'), signingSecret: secret }

/** Decides about a request as the listener does. */
function decide(sender: Sender, rawHeaders: readonly string[], body: Buffer) {
  const isDefault = sender.scheme === 'custom-connection'
  const prepared = prepareSender(sender, [{ secret, expiresAt: null }])
  const directory = {
    byToken: () => ({
      ...{
        record,
        expiresAt: Number.POSITIVE_INFINITY,
        declared: new Set<string>(),
        keys: verificationKeysOf(record),
      },
      sender: isDefault ? null : { scheme: sender.scheme, prepared, urlOf: (path: string) => base + path },
    }),
  }
  const admitted = admit({ method: 'POST', target, rawHeaders }, directory, 100_000, nowMs)
  return admitted.ok ? examine(admitted, body, directory, nowMs) : admitted
}

const own = { scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', idHeader: undefined } as const
const senders = [
  ...['custom-connection', 'standard-webhooks', 'github', 'stripe', 'slack', 'shopify'].map(scheme => ({
    scheme,
  })),
  // The name in a header of a scheme that has it in the body, and the other way round.
  ...['standard-webhooks', 'stripe', 'slack'].map(scheme => ({ scheme, eventName: { header: 'x-name' } })),
  { scheme: 'github', eventName: { path: 'type' } },
  { scheme: 'github', eventName: { path: 'type' }, empty: 'accept' },
  { ...own, signed: '{{body}}', eventName: { header: 'x-name' } },
  { ...own, signed: '{{header:x-name}}.{{body}}', eventName: { header: 'x-name' } },
  { ...own, signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-time', eventName: { path: 'type' } },
].map(sender => Sender.parse(sender))

/** A text of an outsider, with which a form begins and ends in the middle of something else. */
const outsider = '&payload=%7B%22type%22%3A%22refund%22%2C%22data%22%3A%7B%7D%7D&type=refund&z='
const ofEvent = (note: string) => ({ type: 'paid', event: { type: 'paid', note }, data: { note } })
const json = (note: string) => JSON.stringify(ofEvent(note))
const bodies = fc
  .tuple(
    fc.constantFrom<(note: string) => string>(
      ...[
        json,
        (note: string) => ` \n${json(note)}`,
        // JSON for other parsers alone.
        (note: string) => `\ufeff${json(note)}`,
        (note: string) => `${json(note).slice(0, -1)},"ratio":NaN}`,
        (note: string) => `${json(note)}${json(note)}`,
        (note: string) => `${'['.repeat(1001)}"${note}"${']'.repeat(1001)}`,
        (note: string) => `[${json(note)},${json(note)}]`,
        (note: string) => `"${note}"`,
        (note: string) => `<event>${note}</event>`,
        (note: string) => `7${note}`,
        (note: string) => `type=paid&data=x${note}`,
        (note: string) => `payload=${encodeURIComponent(json(note))}`,
      ],
    ),
    fc.constantFrom(outsider, '', 'é', '&type=refund'),
    fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'utf8', 'utf16le'),
  )
  .map(([write, note, encoding]) => Buffer.from(write(note), encoding))

const unsigned = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom('content-type', 'Content-Type'),
      fc.constantFrom(
        ...['application/json', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded'],
        ...['APPLICATION/X-WWW-FORM-URLENCODED;charset=latin1', 'text/plain', 'multipart/form-data', ''],
      ),
    ),
    fc.tuple(
      fc.constantFrom('x-name', 'X-GitHub-Event', 'x-shopify-topic'),
      fc.constantFrom('paid', 'refund', ''),
    ),
    fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'identity')),
  ),
  { maxLength: 4 },
)

describe('one set of signed bytes', () => {
  test('is one event, whatever unsigned headers say', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...senders),
        bodies,
        fc.array(unsigned, { minLength: 2, maxLength: 5 }),
        (sender, body, variants) => {
          const signed = signerOf(sender, secret)(body, nowMs, { id: 'msg_1', url: base + target })
          const decided = variants.flatMap(headers => {
            const isSigned = (name: string) => Object.hasOwn(signed, name.toLowerCase())
            const others = headers.filter(([name]) => !isSigned(name))
            const one = decide(sender, [...Object.entries(signed), ...others].flat(), body)
            return one.ok ? [one] : []
          })
          // A request without an event takes no effect.
          const events = decided.filter(({ otherScheme }) => otherScheme?.noEvent == null)
          expect(new Set(events.map(({ signature }) => signature)).size).toBeLessThanOrEqual(1)
          const meanings = events.map(({ eventName, data }) => JSON.stringify([eventName, data]))
          // The first of those whose name is not signed counts, and the service remembers their signature.
          const isOnce = events.every(({ otherScheme }) => otherScheme?.isOnce === true)
          expect(isOnce || new Set(meanings).size <= 1).toBe(true)
          expect(new Set(events.map(({ data }) => JSON.stringify(data))).size).toBeLessThanOrEqual(1)
          // A text of an outsider inside of JSON never becomes an event.
          if (/^\W*[{["<]/.test(body.toString()) && !JSON.stringify(variants).includes('refund'))
            expect(meanings.join()).not.toMatch(/"refund"[,{]/)
        },
      ),
      { numRuns: 1500 },
    )
  })

  const githubForm = { scheme: 'github', eventName: { path: 'type' } } as const

  test.each([
    [githubForm, json(outsider), { eventName: 'paid' }],
    [githubForm, `payload=${encodeURIComponent(json('x'))}`, { eventName: 'paid' }],
    [githubForm, 'type=paid&total=5', { eventName: 'paid', data: { type: 'paid', total: '5' } }],
    [{ scheme: 'stripe' } as const, 'type=paid', { code: 'invalid_json' }],
    [{ scheme: 'standard-webhooks' } as const, 'type=paid', { code: 'invalid_json' }],
    [{ scheme: 'shopify', eventName: { path: 'type' } } as const, 'type=paid', { code: 'invalid_json' }],
  ])('of %j is read as a form only where it is not JSON: %s', (given, text, expected) => {
    const sender = Sender.parse(given)
    const body = Buffer.from(text)
    const signed = signerOf(sender, secret)(body, nowMs, { id: 'msg_1', url: base + target })
    const type = ['content-type', 'application/x-www-form-urlencoded']
    const decided = decide(sender, [...Object.entries(signed).flat(), ...type], body)
    expect(decided).toMatchObject(expected)
    if (!decided.ok) return
    const stored = { eventName: 'paid', bodyText: decided.bodyText, reading: decided.otherScheme?.reading }
    expect(JSON.parse(eventTextOf(stored)).data).toEqual(decided.data)
  })

  test('keeps its meaning where an earlier version has stored it as a form', () => {
    const bodyText = json(outsider)
    const text = eventTextOf({ eventName: 'refund', bodyText, reading: '{"data":"body","form":true}' })
    expect(JSON.parse(text)).toEqual({ event: 'refund', data: { type: 'refund', data: {} } })
  })

  test.each([
    [{ scheme: 'stripe', eventName: { header: 'x-name' } }, {}],
    [{ scheme: 'github', eventName: { header: 'x-name' } }, {}],
    [{ scheme: 'standard-webhooks', eventName: { header: 'x-name' } }, { ignoreRepeats: true }],
  ])('of %j starts one event with two names in a header', async (given, change) => {
    const fixture = await startInbound()
    const sender = Sender.parse(given)
    await fixture.change({ sender, senderSecret: secret, ...change })
    const text = json('x')
    const { now } = fixture.clock
    const url = base + pathOf(fixture.connection.token)
    const signed = signerOf(sender, secret)(text, now, { id: 'msg_1', url })
    for (const name of ['paid', 'refund']) {
      const headers = Object.entries({ ...signed, 'x-name': name, 'content-length': String(text.length) })
      const lines = headers.map(([header, value]) => `${header}: ${value}\r\n`).join('')
      const request = `POST ${pathOf(fixture.connection.token)} HTTP/1.1\r\nHost: x\r\n${lines}\r\n${text}`
      expect(await exchange(fixture, [Buffer.from(request)])).toMatchObject([{ status: 200 }])
    }
    expect(fixture.outcomes).toMatchObject([
      { kind: 'event.accepted', eventName: 'paid' },
      { kind: 'event.repeated', eventName: 'refund' },
    ])
  })

  test('has one digest, whichever of several right signatures is left', () => {
    const sender = Sender.parse({ scheme: 'stripe', eventName: { header: 'x-name' } })
    const body = json('x')
    const of = (key: string) => signerOf(sender, key)(body, nowMs, { id: '', url: '' })['stripe-signature']
    const [current, old] = [of('new'), of('old')].map(header => header?.split(',')[1])
    const secrets = [
      { secret: 'new', expiresAt: null },
      { secret: 'old', expiresAt: nowMs + 1000 },
    ]
    const directory = {
      byToken: () => ({
        ...{ record, expiresAt: Number.POSITIVE_INFINITY, declared: new Set<string>(), keys: [] },
        sender: { scheme: sender.scheme, prepared: prepareSender(sender, secrets), urlOf: () => '' },
      }),
    }
    const digests = [`${current},${old}`, current, old].map(signatures => {
      const rawHeaders = ['stripe-signature', `t=${nowMs / 1000},${signatures}`, 'x-name', 'paid']
      const admitted = admit({ method: 'POST', target, rawHeaders }, directory, 100_000, nowMs)
      const decided = admitted.ok ? examine(admitted, Buffer.from(body), directory, nowMs) : admitted
      return decided.ok ? decided.signature : decided.code
    })
    expect(digests[0]).toMatch(/^sha256=/)
    expect(new Set(digests).size).toBe(1)
  })

  test.each(['github', 'stripe', 'standard-webhooks', 'slack'])(
    'keep their digest when an old secret is added or ends (%s)',
    scheme => {
      const sender = Sender.parse({ scheme })
      const [old = '', current = ''] = [8, 9].map(
        byte => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
      )
      const body = Buffer.from(json('x'))
      const digestWith = (signer: string, ...secrets: DatedSecret[]) => {
        const headers = signerOf(sender, signer)(body.toString(), nowMs, { id: 'msg_1', url: '' })
        const request = { rawHeaders: Object.entries(headers).flat(), url: () => '' }
        return matchHead(readHead(prepareSender(sender, secrets), request, nowMs), body, nowMs)?.digest
      }
      const now = { secret: current, expiresAt: null }
      const alone = digestWith(current, now)
      expect(alone).toMatch(/^[0-9a-f]{64}$/)
      expect(digestWith(current, now, { secret: old, expiresAt: nowMs + 1 })).toBe(alone)
      expect(digestWith(current, now, { secret: old, expiresAt: nowMs })).toBe(alone)
      expect(digestWith(old, now, { secret: old, expiresAt: nowMs + 1 })).toBe(
        digestWith(old, { secret: old, expiresAt: null }),
      )
    },
  )
})

/** A part of a template, as the attacker sees it: what is fixed, or what values it may have. */
type Part = { readonly text: string; readonly kind: 'text' | 'timestamp' | 'id' | 'url' | 'header' | 'body' }

/** Returns the ways to read a text as these parts, at most `most`. */
function readings(text: string, parts: readonly Part[], most: number): string[][] {
  const found: string[][] = []
  function read(from: number, at: number, values: readonly string[]): void {
    if (found.length >= most) return
    const part = parts[at]
    if (part === undefined) {
      if (from === text.length) found.push([...values])
      return
    }
    const lengths =
      part.kind === 'text'
        ? [part.text.length]
        : at === parts.length - 1
          ? [text.length - from]
          : Array.from({ length: text.length - from + 1 }, (_, index) => index)
    for (const length of lengths) {
      const value = text.slice(from, from + length)
      if (part.kind === 'text' && value !== part.text) continue
      // A copied request is sent between 2001 and 2286, so its time has ten digits, perhaps after zeros.
      if (part.kind === 'timestamp' && !/^0*[1-9]\d{9}$/.test(value)) continue
      if (part.kind === 'url' && !/^https:\/\/in\.example\/api\/connect\/token\/events(?:\?|$)/.test(value))
        continue
      read(from + length, at + 1, [...values, value])
    }
  }
  read(0, 0, [])
  return found
}

const time = fc.constantFrom('1795253400', '1795253401', '1600000000')
const scrap = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('.', ':', '::', 'a', 'v0', '1', '0', '-', '') },
    { weight: 1, arbitrary: time },
  ),
  { maxLength: 4 },
)
const scraps = scrap.map(pieces => pieces.join(''))
const separators = fc.constantFrom('.', ':', '::', '.:', ':.:', 'aa', 'a', '1', '0.', '?', 'v0:')

const described = fc
  .record({
    before: fc.array(fc.constantFrom('timestamp', 'id', 'url', 'header'), { maxLength: 3 }),
    after: fc.array(fc.constantFrom('timestamp', 'id', 'url', 'header'), { maxLength: 2 }),
    between: fc.array(fc.oneof(separators, fc.constant('')), { minLength: 7, maxLength: 7 }),
    values: fc.array(scraps, { minLength: 6, maxLength: 6 }),
    now: time,
  })
  .map(({ before, after, between, values, now }) => {
    const kinds = [...new Set(before), 'body', ...new Set(after.filter(kind => !before.includes(kind)))]
    const parts: Part[] = []
    for (const [index, kind] of kinds.entries()) {
      const literal = between[index] ?? ''
      if (literal !== '') parts.push({ kind: 'text', text: literal })
      const value = values[index] ?? ''
      if (kind === 'timestamp') parts.push({ kind, text: now })
      else if (kind === 'url') parts.push({ kind, text: base + target + (value === '' ? '' : `?${value}`) })
      else if (kind === 'id' || kind === 'header' || kind === 'body') parts.push({ kind, text: value })
    }
    const end = between[6] ?? ''
    if (end !== '') parts.push({ kind: 'text', text: end })
    const placeholder = ({ kind, text }: Part) =>
      kind === 'text' ? text : kind === 'header' ? '{{header:x-a}}' : `{{${kind}}}`
    const has = (wanted: Part['kind']) => parts.some(({ kind }) => kind === wanted)
    return {
      parts,
      sender: {
        ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', windowMs: 1000 },
        ...{ signed: parts.map(placeholder).join(''), eventName: { path: 'type' } },
        ...(has('timestamp') && { timestampHeader: 'x-time' }),
        ...(has('id') && { idHeader: 'x-id' }),
      },
    }
  })

const standard = fc.record({ id: scraps, now: time, body: scraps }).map(({ id, now, body }) => ({
  sender: { scheme: 'standard-webhooks' },
  parts: [
    { kind: 'id', text: id },
    { kind: 'text', text: '.' },
    { kind: 'timestamp', text: now },
    { kind: 'text', text: '.' },
    { kind: 'body', text: body },
  ] satisfies Part[],
}))

describe('bytes that move between the parts of a signed text', () => {
  /** Returns whether the signature of one request is right for another, at the time that this one names. */
  function verifies(sender: Sender, signature: string, parts: readonly Part[], values: readonly string[]) {
    const valueAs = (kind: Part['kind']) => values[parts.findIndex(part => part.kind === kind)]
    const names = { timestamp: 'time', id: 'id', header: 'a' } as const
    const isStandard = sender.scheme === 'standard-webhooks'
    const rawHeaders = [isStandard ? 'webhook-signature' : 'x-sig', signature]
    for (const kind of ['timestamp', 'id', 'header'] as const) {
      const value = valueAs(kind)
      const name = isStandard ? `webhook-${kind}` : `x-${names[kind]}`
      if (value !== undefined) rawHeaders.push(name, value)
    }
    const at = valueAs('timestamp')
    const { code } = verifySender({
      ...{ sender, rawHeaders, secrets: [{ secret, expiresAt: null }] },
      ...{ body: Buffer.from(valueAs('body') ?? ''), url: valueAs('url') ?? base + target },
      nowMs: at === undefined ? nowMs : Number(at) * 1000,
    })
    return !isAboutSignature(code)
  }

  test('never verify', () => {
    let verified = 0
    fc.assert(
      fc.property(fc.oneof(described, standard), ({ sender: given, parts }) => {
        const read = Sender.safeParse(given)
        // For these, `isOnce` limits what a copied request can do.
        const isUrlBesideBody = /\{\{url\}\}(?:\{\{timestamp\}\})?\{\{body\}\}/.test(Object(given).signed)
        fc.pre(read.success && movableProblem(read.data) === null && !isUrlBesideBody)
        const sender = Sender.parse(given)
        const text = parts.map(part => part.text).join('')
        const [{ template, keys }] = prepareSender(sender, [{ secret, expiresAt: null }])
        const digest = Buffer.from(keys[0]?.key.digest('', Buffer.from(text)) ?? '', 'hex')
        const signature = template.prefix + digest.toString(template.encoding)
        const right = readings(text, parts, 400).filter(values => verifies(sender, signature, parts, values))
        expect(right.length).toBeLessThanOrEqual(1)
        verified += right.length
      }),
      { numRuns: 600 },
    )
    // Most requests are right: otherwise this test would prove nothing.
    expect(verified).toBeGreaterThan(200)
  })
})
