import { describe, expect, test } from 'vitest'
import { exportAgent, readAgent } from '#main/platform/agent-document.ts'
import { importAgent, listAgents, removeShape, setShape, shapesOf } from '#main/platform/agents.ts'
import type { Config } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import type { ConversationAction } from '#shared/model/platform/conversation-action.ts'

const now = '2026-11-21T09:30:00.000Z'
const scope = { workspaceId: 'default', agentId: 'sales' }
const empty = newConfig(Date.parse(now))

const action = (word: string, more: object = {}): ConversationAction => ({
  trigger: `keyword:${word}`,
  action: `open_${word}`,
  form: { fields: ['order_id'], submitUrl: 'https://forms.example/x', ...more },
})

function imported(document: object, config: Config = empty) {
  const { agent, issues } = readAgent(JSON.stringify(document))
  if (agent === null) throw new Error(JSON.stringify(issues))
  return { issues, config: importAgent(config, scope, agent, now).next }
}

function exported({ agents }: Config): unknown {
  const [agent] = agents.values()
  return agent && exportAgent(agent)
}

describe('a document with fields that this version does not know', () => {
  const document = {
    version: 1,
    agentId: 'sales',
    theme: { dark: true },
    voice: {
      voice: 'nova',
      responseRate: 'rapid',
      silenceTimeout: 500,
      interruptionThreshold: 200,
      language: 'en-GB',
      accent: 'Scottish',
      pitch: 1.5,
    },
    'conversation-actions': [action('refund', { title: 'A refund' }), action('callback')],
  }

  test('comes out of an export as it went in', () => {
    expect(exported(imported(document).config)).toEqual(document)
  })

  test('names each of them in a warning with its place', () => {
    expect(imported(document).issues.map(({ severity, path, message }) => [severity, path, message])).toEqual(
      [
        ['warning', 'theme', 'There is no field `theme` here. It is kept and exported again.'],
        ['warning', 'voice.pitch', 'There is no field `pitch` here. It is kept and exported again.'],
        [
          'warning',
          '["conversation-actions"][0].form.title',
          'There is no field `title` here. It is kept and exported again.',
        ],
      ],
    )
    expect(listAgents(imported(document).config, [])[0]?.unknownFields).toHaveLength(3)
  })

  test('keeps them beside the shape, not in it', () => {
    const { config } = imported(document)
    expect(shapesOf(config, scope).voice).not.toHaveProperty('pitch')
    expect(shapesOf(config, scope)['conversation-actions'][0]).toEqual(action('refund'))
  })

  test('moves the fields of a list’s entry with it, and drops them with it', () => {
    const { config } = imported(document)
    const moved = setShape(
      config,
      scope,
      'conversation-actions',
      [action('invoice'), action('refund')],
      now,
    ).next
    expect(exported(moved)).toMatchObject({
      'conversation-actions': [action('invoice'), action('refund', { title: 'A refund' })],
    })
    const gone = setShape(moved, scope, 'conversation-actions', [action('invoice')], now).next
    expect(listAgents(gone, [])[0]?.unknownFields).toEqual(['theme', 'voice.pitch'])
  })

  test('keeps a key such as __proto__ as data', () => {
    const { agent } = readAgent('{"voice":{"__proto__":{"polluted":true}}}')
    expect(agent?.unknown).toEqual([{ path: ['voice', '__proto__'], value: { polluted: true } }])
    const { next } = importAgent(empty, scope, agent ?? { shapes: {}, unknown: [] }, now)
    expect(JSON.stringify(exported(next))).toContain('"__proto__":{"polluted":true}')
  })
})

describe('importAgent', () => {
  test('sets the shapes of the document and leaves the others', () => {
    const { config } = imported({ crawler: { startUrl: 'https://a.example' }, voice: { pitch: 1 } })
    const again = imported({ voice: { voice: 'nova' } }, config).config
    expect(exported(again)).toMatchObject({
      crawler: { startUrl: 'https://a.example', maxDepth: 3 },
      voice: { voice: 'nova' },
    })
    expect(listAgents(again, [])[0]?.unknownFields).toEqual([])
  })

  test('refuses agents beyond the limits', () => {
    let config = empty
    for (let index = 0; index < 200; index++)
      config = setShape(config, { ...scope, agentId: `a${index}` }, 'text-responses', [], now).next
    expect(() => setShape(config, scope, 'text-responses', [], now)).toThrow(
      expect.objectContaining({ code: 'too_many_agents' }),
    )
    const texts = Array.from({ length: 300 }, (_, index) => ({ key: `k${index}`, text: 'x'.repeat(4000) }))
    expect(() => setShape(empty, scope, 'text-responses', texts, now)).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    )
  })
})

test('an agent goes with its last shape', () => {
  const { config } = imported({ voice: { pitch: 1 }, crawler: {} })
  const one = removeShape(config, scope, 'voice', now)
  expect(one.result).toBe(1)
  expect(listAgents(one.next, [])).toMatchObject([{ shapes: ['crawler'], unknownFields: [] }])
  expect(removeShape(one.next, scope, 'voice', now).result).toBe(0)
  expect(listAgents(removeShape(one.next, scope, 'crawler', now).next, [])).toEqual([])
})

describe('readAgent', () => {
  const problems = (text: string) =>
    readAgent(text).issues.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`)

  test('gives every problem its path and place', () => {
    const text = `{
  "version": 2,
  "widget": { "agentId": "a b", "bubbleColor": "red" },
  "calendar": { "workingHours": { "Monday": { "start": "09:00", "end": "17:00" } } }
}`
    expect(problems(text)).toEqual([
      '2:14 version This must be 1.',
      '3:26 widget.agentId An agent’s id has 1 to 64 letters, digits, dots, - or _.',
      '3:48 widget.bubbleColor Write a colour as #RGB, #RRGGBB or #RRGGBBAA, for example #3560E0.',
      '4:45 calendar.workingHours.Monday Write weekdays in lowercase: monday, tuesday, wednesday, thursday, friday, saturday, sunday.',
    ])
  })

  test('refuses what is not JSON, too large or full of unknown fields', () => {
    expect(problems('{"voice": {},}')).toHaveLength(1)
    expect(problems(`"${'x'.repeat(3 * 1024 * 1024)}"`)).toEqual(['1:1  The text is larger than 3 MiB.'])
    const fields = Array.from({ length: 1001 }, (_, index) => `"f${index}":1`)
    const { agent, issues } = readAgent(`{${fields.join()}}`)
    expect(agent).toBeNull()
    expect(issues).toEqual([
      expect.objectContaining({ message: 'The document has more than 1000 unknown fields.' }),
    ])
  })
})
