import { expect, onTestFinished, test } from 'vitest'
import { createDiagnoser } from '#main/inbound/diagnoser.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { headersOf, nowMs, secret } from '../signing/sender.ts'
import { shareOfThisThread } from '../support/cpu-ms.ts'

test('a large body that no guess fits does not hold up the main thread', async () => {
  const { diagnose, stop } = createDiagnoser()
  onTestFinished(stop)
  const job = (body: string) => ({
    ...{ secret, otherConnections: [], inboundToken: 'token', sender: defaultSender, nowMs },
    headers: headersOf(String(nowMs), `sha256=${'0'.repeat(64)}`),
    rawBody: new Uint8Array(Buffer.from(body)),
  })
  await diagnose(job('{}'))
  const large = `{"event":"a","data":[${'{"a":"\u00e9/","b":[1.0,true]},'.repeat(8000)}1]}`
  expect(large.length).toBeGreaterThan(200_000)
  const share = await shareOfThisThread(async () =>
    expect(await diagnose(job(large))).toMatchObject({ code: 'unknown' }),
  )
  expect(share).toBeLessThan(0.5)
})
