import type { Page } from 'playwright-core'
import { z } from 'zod'
import { hmacHex } from '../signing/sender.ts'
import { createConnection } from '../support/rest-client.ts'
import type { Demo } from './demo.ts'

const name = 'WhatsApp orders'
const secret = '5f2c81e09ab34c77'
const body =
  '{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{}}]}]}'

/** Opens the activation of a new connection from Meta, once its requests have brought it so far. */
export async function showActivation(
  page: Page,
  { url, rest }: Pick<Demo, 'url' | 'rest'>,
  state: 'waiting' | 'answered' | 'verified',
): Promise<void> {
  const Named = z.array(z.object({ connectionId: z.string(), name: z.string() }))
  for (const one of Named.parse((await rest('GET', '/connections')).body))
    if (one.name === name) await rest('DELETE', `/connections/${one.connectionId}`)
  const { connectionId } = await createConnection(rest, {
    ...{ name, persistEvents: true, sender: { scheme: 'meta' } },
  })
  const path = `/connections/${connectionId}`
  await rest('PUT', `${path}/sender/secret`, { secret })
  const { inboundUrl, verifyToken } = z
    .object({ inboundUrl: z.string(), verifyToken: z.string() })
    .parse((await rest('GET', `${path}/credentials`)).body)
  const ask = (token: string) =>
    fetch(
      `${inboundUrl}?${new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': token })}`,
    )
  await ask(verifyToken.slice(0, -3))
  if (state !== 'waiting') await ask(verifyToken)
  if (state === 'verified')
    await fetch(inboundUrl, {
      ...{ method: 'POST', body },
      headers: { 'x-hub-signature-256': `sha256=${hmacHex(secret, body)}` },
    })
  await page.goto(`${url}/#${path}/sender/activation`)
  const word = {
    waiting: 'had a different verify token',
    answered: /^Answered \d/,
    verified: /^Verified \d/,
  }[state]
  await page.getByText(word).first().waitFor()
}
