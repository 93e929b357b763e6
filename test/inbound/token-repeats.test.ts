import { expect, test } from 'vitest'
import { Sender } from '#shared/model/sender/sender.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { exchange } from '../support/raw-http.ts'
import { pathOf } from '../support/sender.ts'

const secret = 'a fixed token'
const own = { scheme: 'template', eventName: { path: 'event' }, data: 'body' }
const kinds = [
  { kind: 'token', sender: { verify: 'token', signatureHeader: 'x-token' }, header: `X-Token: ${secret}` },
  { kind: 'none', sender: { verify: 'none' }, header: 'X-Other: 1' },
]

test.each(kinds.flatMap(one => [true, false].map(ignoreRepeats => ({ ...one, ignoreRepeats }))))(
  'two bodies with one proof are two events, and a copy of one is a repeat by its id (%j)',
  async one => {
    const fixture = await startInbound({ ownLog: true })
    const { connection, stored } = fixture
    const sender = Sender.parse({ ...own, ...one.sender, idHeader: 'x-id' })
    await fixture.change({ sender, senderSecret: secret, ignoreRepeats: one.ignoreRepeats })
    async function post(note: string, id?: string) {
      const body = JSON.stringify({ event: 'paid', note })
      const lines = [`POST ${pathOf(connection.token)} HTTP/1.1`, 'Host: a.example', one.header]
      const head = [...lines, ...(id === undefined ? [] : [`X-Id: ${id}`]), `Content-Length: ${body.length}`]
      const [answer] = await exchange(fixture, [`${head.join('\r\n')}\r\n\r\n${body}`])
      return answer?.status
    }
    const kindsOf = () => fixture.outcomes.map(({ kind }) => kind)
    for (const [note, id] of [['a', '1'], ['b', '1'], ['a', '2'], ['c'], ['c']] as const)
      expect(await post(note, id)).toBe(200)
    expect(kindsOf()).toEqual(Array(5).fill('event.accepted'))
    expect(await post('a', '1')).toBe(200)
    expect(kindsOf()).toEqual([...Array(5).fill('event.accepted'), 'event.repeated'])
    expect(await stored(connection.connectionId)).toHaveLength(5)
  },
)
