import { describe, expect, test } from 'vitest'
import { chosenServers, type ServerTargets, serverKey, wantedServers } from '#shared/model/import-server.ts'

const server = (url: string, rest: { isOffered?: boolean; isNeeded?: boolean } = {}) => ({
  ...{ url, isOffered: false, isNeeded: true },
  ...rest,
})
const api = 'https://api.example.com/v2'
const files = 'https://files.example.com'
const sandbox = 'https://sandbox.example.com'
const servers = [server(api), server(files), server(sandbox, { isOffered: true, isNeeded: false })]

const choose = (asked: ServerTargets, connectionId: string | null = null) =>
  chosenServers(servers, asked, connectionId)
const refused = (asked: ServerTargets, connectionId: string | null = null) =>
  choose(asked, connectionId).issues.map(({ path, message }) => [path, message])

test.each([
  ['https://api.example.com/v2/', 'HTTPS://API.example.com:443/v2'],
  ['/v2/', '/v2'],
  ['https://{host}/', 'https://{host}'],
])('%s and %s are the same server', (one, other) => {
  expect(serverKey(one)).toBe(serverKey(other))
})

test('the servers that are asked for are those that are not refused', () => {
  expect(wantedServers({ [`${api}/`]: true, [files]: 'conn_1', [sandbox]: false })).toEqual(
    new Set([api, files]),
  )
})

describe('a choice of servers', () => {
  test('takes what operations need by default, and no alternative', () => {
    expect(choose({})).toEqual({ targets: [true, true, false], issues: [] })
    const unneeded = [server(api), server(files, { isNeeded: false })]
    expect(chosenServers(unneeded, {}, null).targets).toEqual([true, false])
  })

  test('leaves servers out and names connections, however a URL is written', () => {
    expect(choose({ 'https://FILES.example.com/': false })).toEqual({
      targets: [true, false, false],
      issues: [],
    })
    expect(choose({ [files]: 'conn_1' }, 'conn_2').targets).toEqual(['conn_2', 'conn_1', false])
    expect(choose({ [api]: 'conn_1' }, 'conn_2').targets).toEqual(['conn_1', true, false])
    expect(choose({ [api]: true }, 'conn_2').targets).toEqual(['conn_2', true, false])
  })

  test('is refused with the path of a server that the document does not have', () => {
    expect(refused({ 'https://api.example.com': true })).toEqual([
      [
        'servers.https://api.example.com',
        `The document has no such server. It has ${api}, ${files}, ${sandbox}.`,
      ],
    ])
    expect(chosenServers([], { [api]: true }, null).issues).toEqual([
      { path: `servers.${api}`, message: 'The document has no such server. It has none to choose.' },
    ])
  })

  test('is refused if it takes an alternative too, nothing, or one connection twice', () => {
    expect(refused({ [sandbox]: true })).toEqual([
      [`servers.${sandbox}`, `It is an alternative to ${api}. Take only one of them.`],
    ])
    expect(refused({ [api]: false, [files]: false })).toEqual([['servers', 'Take at least one server.']])
    expect(refused({ [files]: 'conn_1' }, 'conn_1')).toEqual([
      [`servers.${files}`, `Its connection already takes ${api}. A connection has one base URL.`],
    ])
    expect(refused({ [api]: false }, 'conn_1')).toEqual([
      [
        `servers.${api}`,
        'Its operations go to the connection of "connectionId". Leave that out, or take this server.',
      ],
    ])
  })

  test('names only the first of many unknown servers', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`https://${index}.example`, true]),
    )
    expect(choose(many).issues).toHaveLength(20)
  })
})
