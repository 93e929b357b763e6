import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { Sender } from '#shared/model/sender/sender.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { exchange } from '../support/raw-http.ts'
import { pathOf } from '../support/sender.ts'

const secret = 'secret-of-github'

/** Posts forms as GitHub signs them. */
async function openForms(fastPath: boolean) {
  const { host, port, connection, change } = await startInbound({ ownLog: true, fastPath })
  await change({ sender: Sender.parse({ scheme: 'github' }), senderSecret: secret })
  return {
    async post(form: string) {
      const lines = [
        `POST ${pathOf(connection.token)} HTTP/1.1`,
        'Host: connect.example',
        'Content-Type: application/x-www-form-urlencoded',
        'X-GitHub-Event: form',
        `X-Hub-Signature-256: sha256=${createHmac('sha256', secret).update(form).digest('hex')}`,
        `Content-Length: ${form.length}`,
      ]
      const [answer] = await exchange({ host, port }, [Buffer.from(`${lines.join('\r\n')}\r\n\r\n${form}`)])
      return { status: answer?.status, body: JSON.parse(answer?.body ?? 'null') }
    },
  }
}

const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=${index}`).join('&')

test.each([true, false])(
  'accepts a form of 1,000 fields and no longer one (fast path: %s)',
  async fastPath => {
    const { post } = await openForms(fastPath)
    expect(await post(fields(1000))).toMatchObject({ status: 200 })
    // Separators without a field do not count.
    expect(await post(`&&${fields(1000)}&`)).toMatchObject({ status: 200 })
    const refused = { status: 400, body: { ok: false, error: 'too_many_fields' } }
    expect(await post(fields(1001))).toMatchObject(refused)
    // A field counts each time it is sent, and `payload` does not make up for the others.
    expect(await post('a=1&'.repeat(1001))).toMatchObject(refused)
    expect(await post(`${fields(1000)}&payload=%7B%7D`)).toMatchObject(refused)
  },
)
