import { expect, test } from 'vitest'
import { changeConnection, createConnection, withConnection } from '#main/connections/connections.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { recordNamed } from '../support/connection-records.ts'

const now = '2026-11-21T09:30:00.000Z'
const own = {
  ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed: '{{body}}' },
  eventName: { path: 'type' },
}
const parse = (fields: object = {}) => Sender.parse({ ...own, ...fields })
const bytes = (size: number) => Buffer.alloc(size, 7)

/** Changes the sender of a connection that has another one, and returns the new one. */
function change(before: Sender | undefined, after: Sender) {
  const record = { ...recordNamed('first'), sender: before }
  const config = withConnection(newConfig(Date.parse(now)), record)
  return changeConnection(config, record.connectionId, { sender: after }, now).result.sender
}

test('bodies of a new template are JSON unless it says otherwise', () => {
  const config = newConfig(Date.parse(now))
  const create = (sender: Sender) =>
    createConnection(config, { name: 'Shop', sender }, now, bytes).result.sender
  expect(create(parse())).toMatchObject({ body: 'json' })
  expect(create(parse({ body: 'form' }))).toMatchObject({ body: 'form' })
  expect(create(Sender.parse({ scheme: 'github' }))).not.toHaveProperty('body')
  expect(change(undefined, parse())).toMatchObject({ body: 'json' })
  expect(change(Sender.parse({ scheme: 'github' }), parse())).toMatchObject({ body: 'json' })
  expect(change(parse({ body: 'xml' }), parse())).toMatchObject({ body: 'json' })
})

test('a template that was stored without a format keeps reading forms', () => {
  expect(change(parse(), parse({ prefix: 'v1=' }))).not.toHaveProperty('body')
  expect(change(parse(), parse({ body: 'json' }))).toMatchObject({ body: 'json' })
})
