import { describe, expect, test } from 'vitest'
import { eventBody } from '#renderer/entities/snippet/event-body.ts'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { languages } from '#renderer/entities/snippet/snippet.ts'
import { retriedStatuses } from '#shared/errors/retry-rule.ts'
import { startInbound } from '../../../support/inbound-fixture.ts'
import { pathOf } from '../../../support/sender.ts'
import { awkwardEvents } from './awkward.ts'
import { finish, folderWith, runnableLanguages, start } from './runtimes.ts'

const order = { eventName: 'order.paid', data: '{}' }

test.each(languages)('the sender in %s says when to send an event again', language => {
  const text = languageSnippets[language].send.render({ url: 'https://connect.example', ...order })
  const [, rule = ''] = /^\s*(?:#|\/\/) (Retry after .*)$/m.exec(text) ?? []
  expect([...rule.matchAll(/\d+/g)].map(Number)).toEqual(retriedStatuses)
  expect(rule).toMatch(/no response/)
})

describe.each(runnableLanguages())('the sender in %s', language => {
  const { render, file, command } = languageSnippets[language].send

  async function send(event: typeof order, env: NodeJS.Dict<string> = {}, withSecret = false) {
    const fixture = await startInbound()
    fixture.clock.now = Date.now()
    const { host, port, connection } = fixture
    const folder = await folderWith(
      file,
      render({
        url: `http://${host}:${port}${pathOf(connection.token)}`,
        ...event,
        ...(withSecret && { secret: connection.secret }),
      }),
    )
    const variables = { CC_SIGNING_SECRET: connection.secret, ...env }
    return { fixture, ...(await finish(start({ folder, command, env: variables }))) }
  }

  test.each(awkwardEvents)('is accepted with $title, which arrives unchanged', async event => {
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

  test('prints the reason for a refusal', async () => {
    const { fixture, stdout } = await send(order, { CC_SIGNING_SECRET: 'whsec_another' })
    if (language !== 'curl') expect(stdout).toMatch(/\b401\b/)
    expect(stdout).toContain('"error":"invalid_signature"')
    expect(fixture.triggers).toEqual([])
  })

  test('sends nothing and names the variable if the secret is unset or empty', async () => {
    for (const secret of [undefined, '']) {
      const { fixture, code, stderr } = await send(order, { CC_SIGNING_SECRET: secret })
      expect(code).not.toBe(0)
      expect(stderr).toContain('CC_SIGNING_SECRET')
      expect(fixture.outcomes).toEqual([])
    }
  })

  test('needs no environment variable if it is rendered with the secret', async () => {
    const { fixture, stdout } = await send(order, { CC_SIGNING_SECRET: undefined }, true)
    expect(stdout).toContain('{"ok":true}')
    expect(fixture.triggers).toMatchObject([{ eventName: 'order.paid' }])
  })
})

describe.each(runnableLanguages(['curl']))('pasted into an interactive shell, the sender in %s', language => {
  const { render } = languageSnippets[language].send

  /** Types the program into a shell, then one more line. */
  async function paste(withSecret: boolean) {
    const fixture = await startInbound()
    fixture.clock.now = Date.now()
    const { host, port, connection } = fixture
    const program = render({
      url: `http://${host}:${port}${pathOf(connection.token)}`,
      ...order,
      ...(withSecret && { secret: connection.secret }),
    })
    const folder = await folderWith('inputrc', '')
    const shell = start({ folder, command: 'bash --norc --noprofile -i' })
    return { fixture, ...(await finish(shell, `${program}\necho the next line\n`)) }
  }

  test('is accepted if its first line sets the secret', async () => {
    const { fixture, stdout } = await paste(true)
    expect(stdout).toContain('{"ok":true}')
    expect(fixture.triggers).toMatchObject([{ eventName: 'order.paid' }])
  })

  test('sends nothing without the secret, and leaves the shell open', async () => {
    const { fixture, stdout, stderr } = await paste(false)
    expect(fixture.outcomes).toEqual([])
    expect(stderr).toContain('CC_SIGNING_SECRET')
    expect(stdout).toBe('the next line\n')
  })
})
