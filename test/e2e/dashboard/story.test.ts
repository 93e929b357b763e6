import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { missingOf } from '../../support/has-program.ts'
import { createConnection } from '../../support/rest-client.ts'
import { clipboard, dashboardTests } from './fixture.ts'

const { open } = dashboardTests()
const missing = missingOf('bash', 'curl', 'openssl')
if (missing.length > 0) console.warn(`The copied program is not run: no ${missing.join(', ')} here.`)

test.skipIf(missing.length > 0)(
  'the program that the overview copies runs in a shell as it is, and the line below it says so',
  async () => {
    const { page, service, go } = await open()
    const { connectionId, credentials } = await createConnection(service.rest)
    await service.rest('POST', `/connections/${connectionId}/event-types`, {
      eventName: 'order.paid',
      sampleText: '{"order_id":"ORD-20418","number":9007199254740993,"note":"it\'s $HOME `x` \\\\"}',
    })
    await service.rest('PATCH', `/connections/${connectionId}`, { persistEvents: true })
    await go(`/connections/${connectionId}`)
    await page.getByRole('button', { name: 'Show the overview' }).click()
    const code = page.getByRole('region', { name: 'Code' })
    await code.getByText('ORD-20418').first().waitFor()
    const shown = code.getByRole('figure', { name: 'curl: send an event' })
    await shown.getByText('whsec_••').waitFor()
    await code.getByRole('button', { name: 'Copy with secret' }).click()
    await page.getByText('Code copied with the secret').waitFor()
    const program = await clipboard(page)
    expect(program.split('\n')[0]).toBe(`CC_SIGNING_SECRET='${credentials.signingSecret}'`)
    const { CC_SIGNING_SECRET: _, ...env } = process.env
    const { stdout } = await promisify(execFile)('bash', ['-c', program], { env })
    expect(stdout).toContain('{"ok":true}')
    await code.getByRole('button', { name: 'Reveal the credentials in the code' }).click()
    await shown.getByText(credentials.signingSecret).waitFor()
    await code.getByRole('button', { name: 'Hide the credentials in the code' }).click()
    await shown.getByText('whsec_••').waitFor()
    await code.getByRole('button', { name: 'Copy without the secret' }).click()
    await page.getByText('It reads the secret from CC_SIGNING_SECRET').waitFor()
    expect(await clipboard(page)).not.toContain(credentials.signingSecret)
    await code.getByText(/Last:\s*order\.paid/).waitFor()
    const { body } = await service.rest('GET', `/connections/${connectionId}/events`)
    expect(body).toMatchObject({
      events: [
        { dataText: '{"order_id":"ORD-20418","number":9007199254740993,"note":"it\'s $HOME `x` \\\\"}' },
      ],
    })
  },
)
