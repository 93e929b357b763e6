import { describe, expect, test } from 'vitest'
import { listToolPage, toolsPerPage } from '#main/assistant/mcp/list-tools.ts'
import type { McpScope } from '#main/assistant/mcp/scope.ts'
import type { ClientTokenRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import {
  exampleAction,
  exampleConnection,
  now,
  withConnections,
  withOneOfEach,
} from '../../storage/config-fixtures.ts'

const everything: McpScope = { workspaceId: null, connectionId: null, tokenId: null }

function connectionWith(id: string, actions: number, changes: Partial<ConnectionRecord> = {}) {
  const action = (index: number) =>
    exampleAction(`${id}_${index}`, { method: index % 2 === 0 ? 'GET' : 'POST' })
  const connectionId = `conn_${id}`
  return exampleConnection(connectionId, {
    slug: id,
    actions: Array.from({ length: actions }, (_, index) => action(index)),
    ...changes,
  })
}

/** Three connections whose tools are a page and a half. */
const three = ['aaaa', 'bbbb', 'cccc'].map(id => connectionWith(id, toolsPerPage / 2))
const configOf = (...records: ConnectionRecord[]) => withConnections(newConfig(now), ...records)

function withToken(config: Config, changes: Partial<ClientTokenRecord>): Config {
  const [token] = withOneOfEach(newConfig(now)).clientTokens.values()
  if (token === undefined) throw new Error('The example has a token.')
  const record = {
    ...token,
    workspaceId: null,
    connectionId: null,
    readOnly: false,
    permissions: {},
    ...changes,
  }
  return { ...config, clientTokens: new Map([[record.tokenId, record]]) }
}

/** Returns the names on all pages. @param between returns the configuration after a page. */
function readAll(
  config: Config,
  scope: McpScope,
  between: (cursor: string) => Config = () => config,
): string[] {
  const names: string[] = []
  let cursor: string | undefined
  let now = config
  do {
    const { tools, nextCursor } = listToolPage(now, scope, cursor)
    names.push(...tools.map(({ name }) => name))
    if (nextCursor !== undefined) now = between(nextCursor)
    cursor = nextCursor
  } while (cursor !== undefined)
  return names
}

describe('the pages of tools/list', () => {
  test('have all tools in the order of creation, and no cursor at the end', () => {
    const config = configOf(...three)
    const first = listToolPage(config, everything, undefined)
    expect(first.tools).toHaveLength(toolsPerPage)
    const names = readAll(config, everything)
    expect(names).toHaveLength(1.5 * toolsPerPage)
    expect(new Set(names).size).toBe(names.length)
    expect(names[0]).toMatch(/^aaaa_/)
    expect(names.at(-1)).toMatch(/^cccc_/)
    const one = configOf(connectionWith('aaaa', toolsPerPage))
    expect(listToolPage(one, everything, undefined)).not.toHaveProperty('nextCursor')
  })

  test('have each tool once that stays, while connections and actions come and go', () => {
    const [a, b, c] = three
    if (a === undefined || b === undefined || c === undefined) throw new Error('There are three.')
    const odd = connectionWith('dddd', toolsPerPage / 2 + 1)
    const before = readAll(configOf(a, odd, c), everything)
    // The page ends inside the second connection.
    const cut = odd.actions[toolsPerPage / 2 - 1]
    const withoutCut = { ...odd, actions: odd.actions.filter(action => action !== cut) }
    const goneOn = [
      configOf(a, withoutCut, c, b),
      configOf(odd, c, b),
      configOf(a, c, b),
      configOf(a, { ...odd, enabled: false }, c, b),
    ].map(config => readAll(configOf(a, odd, c), everything, () => config))
    for (const names of goneOn) {
      expect(new Set(names).size).toBe(names.length)
      const ofC = (all: readonly string[]) => all.filter(name => name.startsWith('cccc_'))
      expect(ofC(names)).toEqual(ofC(before))
      expect(names.filter(name => name.startsWith('bbbb_'))).toHaveLength(toolsPerPage / 2)
    }
    expect(goneOn[0]?.filter(name => name.startsWith('dddd_'))).toHaveLength(toolsPerPage / 2 + 1)
  })

  test('keep to the scope of a token, also with the cursor of another one', () => {
    const config = withToken(configOf(...three), { connectionId: 'conn_bbbb', readOnly: true })
    const { nextCursor } = listToolPage(config, everything, undefined)
    const [tokenId = null] = config.clientTokens.keys()
    const scope = { ...everything, tokenId }
    const ofToken = readAll(config, scope)
    expect(ofToken).toHaveLength(toolsPerPage / 4)
    expect(listToolPage(config, scope, nextCursor).tools).toEqual([])
    const fromStart = listToolPage(config, scope, 'conn_aaaa.act_aaaa_0.0').tools
    expect(fromStart.map(({ name }) => name)).toEqual(ofToken)
    const others = withToken(config, { workspaceId: 'ws_1' })
    expect(listToolPage(others, scope, nextCursor).tools).toEqual([])
    expect(listToolPage({ ...config, clientTokens: new Map() }, scope, nextCursor).tools).toEqual([])
  })

  test.each([
    '',
    'x',
    'conn_never.act_never.0',
    'a.b',
    '..',
    'conn_aaaa.act_aaaa_0.-1',
    `${'a'.repeat(9999)}`,
  ])('refuse the cursor %j with the error of the protocol', cursor => {
    expect(() => listToolPage(configOf(...three), everything, cursor)).toThrow(
      expect.objectContaining({ code: -32_602 }),
    )
  })
})
