import { expect, onTestFinished, test } from 'vitest'
import { createTrials } from '#main/senders/trials.ts'
import type { TrialJob } from '#main/senders/try-sender.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { headersOf, hmacHex, nowMs, secret } from '../signing/sender.ts'

const job = (body: string, signed = body): TrialJob => ({
  ...{ sender: defaultSender, secrets: [{ secret, expiresAt: null }], url: '', nowMs, kept: [] },
  ...{ inboundToken: 'token', otherConnections: [], connectionId: 'con_1', triggers: [] },
  request: {
    headers: headersOf(String(nowMs), `sha256=${hmacHex(secret, `${nowMs}.${signed}`)}`),
    ...{ body, at: nowMs },
  },
})

function trials() {
  const made = createTrials()
  onTestFinished(() => made.stop())
  return made
}

test('a worker verifies a request, and names what is wrong', async () => {
  const { run } = trials()
  expect(await run(job('{"event":"a"}'))).toMatchObject({ ok: true })
  expect(await run(job('{"event":"a"}', '{"event": "a"}'))).toMatchObject({
    ok: false,
    diagnosis: { code: 'body_reserialized' },
  })
  const { request, ...rest } = job('{}')
  await expect(run({ ...rest, request: { text: '{}', at: request.at } })).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

test('of many at once the last are refused with verification_busy', async () => {
  const { run } = trials()
  const many = await Promise.allSettled(Array.from({ length: 12 }, () => run(job('{"event":"a"}'))))
  expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(9)
  expect(many.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'verification_busy' } })
})
