import { expect, test } from 'vitest'
import { clientsLabel, describeClient } from '#renderer/features/assistant/client-labels.ts'
import type { McpClient } from '#shared/model/assistant.ts'

const client = (fields: Partial<McpClient> = {}): McpClient => ({
  clientId: 'client_1',
  name: 'curl',
  version: null,
  protocol: '2026-07-28',
  transport: 'http',
  tokenId: null,
  tokenName: null,
  workspaceId: 'default',
  connectionId: null,
  connectedAt: '2026-11-21T09:30:00.000Z',
  lastSeenAt: '2026-11-21T09:30:00.000Z',
  calls: 0,
  connections: 0,
  ...fields,
})
const open = { connections: 1 }

test.each<[of: string, clients: McpClient[], words: string]>([
  ['nobody', [], '0 clients connected'],
  ['a single request', [client()], '1 client in the last 5 minutes, none connected'],
  ['a client with a stream', [client(open)], '1 client connected'],
  ['a client at two addresses', [client(open), client({ connectionId: 'conn_1' })], '1 client connected'],
  ['two names', [client(open), client({ name: 'Cursor', ...open })], '2 clients connected'],
  [
    'two tokens',
    [client(open), client({ tokenId: 'tok_1' })],
    '1 client connected, 1 more in the last 5 minutes',
  ],
])('%s', (_of, clients, words) => expect(clientsLabel(clients)).toBe(words))

test('a client without a token has the rights of the admin token only over HTTP', () => {
  expect(describeClient(client({ version: '8.1' }))).toBe('curl 8.1 · MCP 2026-07-28 · http · admin token')
  expect(describeClient(client({ transport: 'stdio' }))).toMatch(/stdio · no token$/)
  expect(describeClient(client({ tokenName: 'Laptop' }))).toMatch(/Laptop$/)
})
