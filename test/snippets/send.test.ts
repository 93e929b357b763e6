import { describe, expect, test } from 'vitest'
import { eventBody } from '#shared/snippets/event-body.ts'
import { languageSnippets } from '#shared/snippets/languages.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { pathOf } from '../support/sender.ts'
import { awkwardEvents } from './awkward.ts'
import { finish, folderWith, runnableLanguages, start } from './runtimes.ts'

describe.each(runnableLanguages())('the sender in %s', language => {
  const { render, file, command } = languageSnippets[language].send

  async function send(event: { eventName: string; data: string }, secret?: string) {
    const fixture = await startInbound()
    fixture.clock.now = Date.now()
    const { host, port, connection } = fixture
    const folder = await folderWith(
      file,
      render({ url: `http://${host}:${port}${pathOf(connection.token)}`, ...event }),
    )
    const env = { CC_SIGNING_SECRET: secret ?? connection.secret }
    return { fixture, ...(await finish(start({ folder, command, env }))) }
  }

  test.each(awkwardEvents)('is accepted with $title, which arrives as it is', async event => {
    const { fixture, stdout, stderr, code } = await send(event)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    if (language !== 'curl') expect(stdout).toMatch(/\b200\b/)
    expect(stdout).toContain('{"ok":true}')
    const stored = await fixture.stored(fixture.connection.connectionId)
    expect(stored).toHaveLength(1)
    expect(stored[0]?.bodyText).toBe(eventBody(event.eventName, event.data))
    expect(JSON.parse(stored[0]?.bodyText ?? '')).toEqual({
      event: event.eventName,
      data: JSON.parse(event.data),
    })
    expect(stored[0]?.headerLines).toMatch(/^content-type: application\/json$/im)
    expect(fixture.triggers).toMatchObject([{ eventName: event.eventName }])
  })

  test('shows the reason when it is refused', async () => {
    const { fixture, stdout } = await send({ eventName: 'order.paid', data: '{}' }, 'whsec_another')
    if (language !== 'curl') expect(stdout).toMatch(/\b401\b/)
    expect(stdout).toContain('"error":"invalid_signature"')
    expect(fixture.triggers).toEqual([])
  })

  test('sends nothing that is accepted when the secret is not set', async () => {
    const { fixture, stdout, code } = await send({ eventName: 'order.paid', data: '{}' }, '')
    expect(stdout.includes('invalid_signature') || code !== 0).toBe(true)
    expect(fixture.triggers).toEqual([])
  })
})
