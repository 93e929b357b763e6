import { afterEach, expect, test } from 'vitest'
import { createDiagnoser, type Diagnoser } from '#main/inbound/diagnoser.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { headersOf, hmacHex, nowMs, secret } from '../signing/sender.ts'

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

test('a worker names the mistake behind a signature', async () => {
  const { diagnose } = diagnoser()
  const signature = (key: string) => `sha256=${hmacHex(key, Buffer.from(`${nowMs}.{}`))}`
  expect(await diagnose(job('{}', signature('whsec_other')))).toMatchObject({ code: 'other_connection' })
  expect(await diagnose(job('{}', signature('')))).toMatchObject({ code: 'key_empty' })
})

test('of a flood the newest are dropped, and those that wait are made', async () => {
  const { diagnose } = diagnoser()
  const flood = await Promise.allSettled(Array.from({ length: 40 }, () => diagnose(job('{}'))))
  expect(flood.map(({ status }) => status)).toEqual([
    ...new Array(21).fill('fulfilled'),
    ...new Array(19).fill('rejected'),
  ])
})
