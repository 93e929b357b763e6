import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEnvironment, mayUse } from '#main/connections/environment.ts'
import { removeVariable, setVariable as setTo } from '#main/connections/made-variables.ts'
import type { Config } from '#main/storage/config.ts'
import { diffConfig } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { exampleAction, exampleConnection, withConnections } from '../storage/config-fixtures.ts'
import { nowMs } from './fixtures.ts'

const processEnv = {
  SHOP_KEY: 'from the process',
  HOME: '/root',
  EMPTY: '',
  CUSTOM_CONNECTION_KEY: 'own',
  custom_connection_key: 'own',
}

/** An environment of a configuration that cannot change. */
function environmentOf(config: Config) {
  const store = {
    snapshot: () => config,
    update: () => Promise.reject(new Error('not in this test')),
    onChange: () => () => {},
    changeCount: () => 0,
    close: () => Promise.resolve(),
  }
  return createEnvironment(store, processEnv)
}

const setVariable = (config: Config, name: string, value: string) => setTo(config, name, { value })

const plain = newConfig(nowMs)
const withPatterns = (...environmentPatterns: string[]): Config => ({
  ...plain,
  settings: { ...plain.settings, environmentPatterns },
})
const mentioning = (...names: string[]) =>
  exampleConnection('conn_1', {
    actions: names.map((name, index) =>
      exampleAction(String(index), { headers: { 'X-A': `{{${name}}} {{${name}}}` } }),
    ),
  })

describe('a variable', () => {
  test('is the settings’, else the process’s', () => {
    const { next } = setVariable(plain, 'SHOP_KEY', 'from the settings')
    expect(environmentOf(plain).resolve('SHOP_KEY')).toBe('from the process')
    expect(environmentOf(next).resolve('SHOP_KEY')).toBe('from the settings')
    const { next: without } = removeVariable(next, 'SHOP_KEY')
    expect(environmentOf(without).resolve('SHOP_KEY')).toBe('from the process')
    expect(environmentOf(plain).resolve('EMPTY')).toBe('')
  })

  test.each(['NOT_SET', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is not set', name => {
    expect(environmentOf(plain).resolve(name)).toBeUndefined()
  })

  test('of the service itself is never the process’s', () => {
    for (const patterns of [['*'], ['CUSTOM_CONNECTION_KEY'], ['custom_*']]) {
      const { resolve } = environmentOf(withPatterns(...patterns))
      expect(resolve('CUSTOM_CONNECTION_KEY')).toBeUndefined()
      expect(resolve('custom_connection_key')).toBeUndefined()
    }
  })

  test('of the process may be narrowed by patterns, one of the settings not', () => {
    const narrowed = withPatterns('SHOP_*')
    expect(environmentOf(narrowed).resolve('SHOP_KEY')).toBe('from the process')
    expect(environmentOf(narrowed).resolve('HOME')).toBeUndefined()
    expect(environmentOf(setVariable(narrowed, 'HOME', 'x').next).resolve('HOME')).toBe('x')
    expect(environmentOf(withPatterns()).resolve('SHOP_KEY')).toBeUndefined()
  })

  test('that is not kept cannot be removed', () => {
    expect(() => removeVariable(plain, 'SHOP_KEY')).toThrow(
      expect.objectContaining({ code: 'environment_variable_not_found' }),
    )
  })
})

describe('the list', () => {
  test('has what is kept and what headers mention, by name, and nothing else of the process', () => {
    const config = withConnections(
      setVariable(setVariable(plain, 'Z', '1').next, 'SHOP_KEY', '2').next,
      mentioning('HOME', 'SHOP_KEY', 'NOT_SET', 'CUSTOM_CONNECTION_KEY'),
    )
    const usedBy = [{ connectionId: 'conn_1', connectionName: 'Connection conn_1', actions: 1 }]
    expect(environmentOf(config).list()).toEqual([
      { name: 'CUSTOM_CONNECTION_KEY', sources: [], kind: 'value', usedBy },
      { name: 'HOME', sources: ['process'], kind: 'value', usedBy },
      { name: 'NOT_SET', sources: [], kind: 'value', usedBy },
      { name: 'SHOP_KEY', sources: ['settings', 'process'], kind: 'value', usedBy },
      { name: 'Z', sources: ['settings'], kind: 'value', usedBy: [] },
    ])
    expect(environmentOf(config).secrets()).toEqual([
      ...['/root', '2', '1'],
      ...['whsec_canary-4712-conn_1', 'sender-canary-4715-conn_1', 'verify-canary-4717-conn_1'],
      ...['whsec_canary-before-4713-conn_1', 'sender-canary-before-4716-conn_1'],
    ])
    expect(environmentOf(plain).list()).toEqual([])
  })
})

test('what is masked follows each change of the configuration', () => {
  const connection = fc.record({
    id: fc.constantFrom('conn_1', 'conn_2'),
    names: fc.uniqueArray(fc.constantFrom('SHOP_KEY', 'A', 'B'), { maxLength: 2 }),
    secret: fc.constantFrom('whsec_one', 'whsec_two', 'whsec_three'),
    at: fc.constantFrom('connections', 'held', 'nowhere'),
  })
  const step = fc.oneof(
    connection.map(({ id, names, secret, at }) => (config: Config): Config => {
      const record = { ...mentioning(...names), connectionId: id, signingSecret: secret }
      const connections = new Map(config.connections)
      const held = new Map(config.held)
      connections.delete(id)
      held.delete(id)
      if (at === 'connections') connections.set(id, record)
      if (at === 'held') held.set(id, { record, deletedAt: 0, place: 0 })
      return { ...config, connections, held }
    }),
    fc.record({ name: fc.constantFrom('A', 'B'), value: fc.constantFrom('first value', 'second value') }).map(
      ({ name, value }) =>
        (config: Config) =>
          setVariable(config, name, value).next,
    ),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), steps => {
      let config = withPatterns('*')
      let announce: Parameters<ConfigStore['onChange']>[0] = () => {}
      const store = {
        snapshot: () => config,
        onChange: (listener: typeof announce) => {
          announce = listener
          return () => {}
        },
      }
      const environment = createEnvironment(store, processEnv)
      for (const change of steps) {
        const previous = config
        config = change(previous)
        announce(config, previous, diffConfig(previous, config))
        const secrets = environment.secrets()
        expect(new Set(secrets)).toEqual(new Set(environmentOf(config).secrets()))
        expect(environment.secrets()).toBe(secrets)
      }
    }),
  )
})

test('signing secrets are masked too, replaced ones and those of a held connection', () => {
  const connection = (id: string, ...earlier: string[]) =>
    exampleConnection(id, {
      signingSecret: `whsec_${id}`,
      oldSecrets: earlier.map(secret => ({ secret: `whsec_${secret}`, expiresAt: nowMs })),
    })
  const held = { record: connection('deleted'), deletedAt: nowMs, place: 0 }
  const config = { ...withConnections(plain, connection('one', 'before')), held: new Map([['held', held]]) }
  expect(environmentOf(config).secrets()).toEqual(
    expect.arrayContaining(['whsec_one', 'whsec_before', 'whsec_deleted']),
  )
})

describe('a pattern', () => {
  test.each([
    ['*', 'ANY', true],
    ['*', '', true],
    ['A', 'A', true],
    ['A', 'a', false],
    ['A', 'AB', false],
    ['A*', 'A', true],
    ['A*', 'BA', false],
    ['*A', 'BA', true],
    ['A*A', 'A', false],
    ['A*A', 'AA', true],
    ['A*B*C', 'AxBxC', true],
    ['A*B*C', 'ACB', false],
    ['*B*', 'ABC', true],
    ['A**B', 'AB', true],
  ])('%s and %s: %s', (pattern, name, fits) => {
    expect(mayUse([pattern], name)).toBe(fits)
  })

  test('fits as the same regular expression does', () => {
    const text = fc.string({ unit: fc.constantFrom('A', 'B', '*'), maxLength: 8 })
    fc.assert(
      fc.property(text, text, (pattern, given) => {
        const name = given.replaceAll('*', '_')
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name)
        expect(mayUse([pattern], name)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })
})
