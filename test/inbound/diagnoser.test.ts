import { afterEach, expect, test } from 'vitest'
import { createDiagnoser, type Diagnoser } from '#main/inbound/diagnoser.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { headersOf, hmacHex, nowMs, secret } from '../signing/sender.ts'
import { shareOfThisThread } from '../support/cpu-ms.ts'

const made: Diagnoser[] = []

afterEach(async () => {
  for (const diagnoser of made.splice(0)) await diagnoser.stop()
})

function diagnoser(): Diagnoser {
  const one = createDiagnoser()
  made.push(one)
  return one
}

/** A request with a signature that none of the guesses makes, so that all of them are tried. */
const job = (body: string, signature = `sha256=${'0'.repeat(64)}`) => ({
  secret,
  otherConnections: [{ name: 'Billing', secret: 'whsec_other' }],
  inboundToken: 'token',
  sender: defaultSender,
  headers: headersOf(String(nowMs), signature),
  rawBody: new Uint8Array(Buffer.from(body)),
  nowMs,
})
const large = () => `{"event":"a","data":[${'{"a":"\u00e9/","b":[1.0,true]},'.repeat(8000)}1]}`

test('a worker names the mistake behind a signature', async () => {
  const { diagnose } = diagnoser()
  const signature = (key: string) => `sha256=${hmacHex(key, Buffer.from(`${nowMs}.{}`))}`
  expect(await diagnose(job('{}', signature('whsec_other')))).toMatchObject({ code: 'other_connection' })
  expect(await diagnose(job('{}', signature('')))).toMatchObject({ code: 'key_empty' })
})

test('a large body that no guess fits does not hold up the main thread', async () => {
  const { diagnose } = diagnoser()
  await diagnose(job('{}'))
  const body = large()
  expect(body.length).toBeGreaterThan(200_000)
  const share = await shareOfThisThread(async () =>
    expect(await diagnose(job(body))).toMatchObject({ code: 'unknown' }),
  )
  expect(share).toBeLessThan(0.5)
})

test('of a flood the newest are dropped, and those that wait are made', async () => {
  const { diagnose } = diagnoser()
  const flood = await Promise.allSettled(Array.from({ length: 40 }, () => diagnose(job('{}'))))
  expect(flood.map(({ status }) => status)).toEqual([
    ...new Array(21).fill('fulfilled'),
    ...new Array(19).fill('rejected'),
  ])
})
