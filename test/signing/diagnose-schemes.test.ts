import { expect, test } from 'vitest'
import { diagnose } from '#main/signing/diagnose.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import { connectionSecret, oldSenderSecret, requestBody, schemeMistakes } from './scheme-mistakes.ts'
import { nowMs } from './sender.ts'

test.each(schemeMistakes)(
  '$sender.scheme, $what: $code',
  ({ sender, secret, headers, code, says, change }) => {
    const diagnosis = diagnose({
      ...{ sender, secret, headers, nowMs, rawBody: Buffer.from(requestBody) },
      oldSecrets: [oldSenderSecret],
      ownSecret: sender.scheme === 'custom-connection' ? undefined : connectionSecret,
    })
    expect(Diagnosis.parse(diagnosis)).toMatchObject({ code, message: expect.stringContaining(says) })
    expect(diagnosis.change).toEqual(change)
    for (const kept of [secret, oldSenderSecret, connectionSecret])
      if (kept !== '') expect(JSON.stringify(diagnosis)).not.toContain(kept)
  },
)
