import { describe, expect, test } from 'vitest'
import {
  type Access,
  configurationFor,
  kindOfClient,
  labelOfClient,
  type McpClientKind,
  mcpClients,
  serverName,
} from '#renderer/features/assistant/configurations.ts'

const http: Access = { transport: 'http', url: 'http://127.0.0.1:8788/mcp', token: 'secret-1' }
const stdio: Access = {
  transport: 'stdio',
  command: 'C:\\Program Files\\node.exe',
  args: ['cli.js', 'mcp', '--data', 'C:\\My "data"'],
  token: null,
}
const of = (client: McpClientKind, access: Access) =>
  configurationFor(client, access, 'custom-connection', 'linux')
const headers = { Authorization: 'Bearer secret-1' }

test('VS Code gets servers over HTTP, laid out as its own documentation does', () => {
  const { json, file } = of('vscode', http)
  expect(json).toBe(`{
  "servers": {
    "custom-connection": {
      "type": "http",
      "url": "http://127.0.0.1:8788/mcp",
      "headers": { "Authorization": "Bearer secret-1" }
    }
  }
}`)
  expect(file).toBe('.vscode/mcp.json')
})

test.each(mcpClients)('$label starts the command with its arguments unchanged', ({ id }) => {
  const { json } = of(id, stdio)
  const [servers] = Object.values<Record<string, object>>(JSON.parse(json))
  expect(servers?.['custom-connection']).toMatchObject({ command: stdio.command, args: stdio.args })
})

test.each([
  ['claude-code', { mcpServers: { 'custom-connection': { type: 'http', url: http.url, headers } } }],
  ['cursor', { mcpServers: { 'custom-connection': { url: http.url, headers } } }],
  ['other', { mcpServers: { 'custom-connection': { type: 'http', url: http.url, headers } } }],
] as const)('%s gets the address and the token in a header', (client, expected) => {
  expect(JSON.parse(of(client, http).json)).toEqual(expected)
})

test.each(mcpClients)('$label passes a token to the command in its environment', ({ id }) => {
  const { json } = of(id, { ...stdio, token: 'secret-2' })
  expect(json).toContain('"env": { "CUSTOM_CONNECTION_MCP_TOKEN": "secret-2" }')
  expect(of(id, stdio).json).not.toContain('env')
})

describe('Claude Desktop', () => {
  test('reaches HTTP through mcp-remote, with the token in the environment', () => {
    const { json, needs } = of('claude-desktop', http)
    expect(JSON.parse(json)).toEqual({
      mcpServers: {
        'custom-connection': {
          command: 'npx',
          args: ['-y', 'mcp-remote', http.url, '--header', `Authorization:\${AUTHORIZATION}`],
          env: { AUTHORIZATION: 'Bearer secret-1' },
        },
      },
    })
    expect(needs).toContain('Node.js')
    expect(of('claude-desktop', stdio).needs).toBeNull()
  })

  test('is allowed HTTP without TLS to another computer only', () => {
    const json = (url: string) => of('claude-desktop', { ...http, url }).json
    expect(json('http://nas.local:8788/mcp')).toContain('--allow-http')
    expect(json('https://nas.local/mcp')).not.toContain('--allow-http')
    expect(json('http://[::1]:8788/mcp')).not.toContain('--allow-http')
    expect(json('http://localhost.evil.example/mcp')).toContain('--allow-http')
  })

  test('keeps its file where each system keeps it', () => {
    const file = (platform: 'mac' | 'windows' | 'linux') =>
      configurationFor('claude-desktop', stdio, 'x', platform).file
    expect(file('mac')).toBe('~/Library/Application Support/Claude/claude_desktop_config.json')
    expect(file('windows')).toBe('%APPDATA%\\Claude\\claude_desktop_config.json')
    expect(file('linux')).toBe('~/.config/Claude/claude_desktop_config.json')
  })
})

describe('an installation link', () => {
  test('of VS Code carries the server as JSON', () => {
    const { installUrl } = of('vscode', http)
    const [scheme, json] = installUrl?.split('?') ?? []
    expect(scheme).toBe('vscode:mcp/install')
    expect(JSON.parse(decodeURIComponent(json ?? ''))).toEqual({
      name: 'custom-connection',
      type: 'http',
      url: http.url,
      headers,
    })
  })

  test('of Cursor carries the name, and the server as base64', () => {
    const url = new URL(of('cursor', { ...http, url: 'http://127.0.0.1:8788/mcp?ü' }).installUrl ?? '')
    expect(url.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/)
    expect(url.searchParams.get('name')).toBe('custom-connection')
    const json = Buffer.from(url.searchParams.get('config') ?? '', 'base64').toString()
    expect(JSON.parse(json)).toEqual({ url: 'http://127.0.0.1:8788/mcp?ü', headers })
  })

  test('is not made up for clients that have none', () => {
    for (const client of ['claude-desktop', 'claude-code', 'other'] as const)
      expect(of(client, http).installUrl).toBeNull()
  })
})

test('Claude Code has a command for HTTP', () => {
  expect(of('claude-code', http).command).toBe(
    'claude mcp add --transport http custom-connection http://127.0.0.1:8788/mcp --header "Authorization: Bearer secret-1"',
  )
  expect(of('claude-code', stdio).command).toBeNull()
})

test('a client is recognized by the name that it gives itself', () => {
  expect(
    ['claude-ai', 'claude-code', 'Visual Studio Code', 'cursor-vscode', 'Claude Code', 'x'].map(kindOfClient),
  ).toEqual(['claude-desktop', 'claude-code', 'vscode', 'cursor', 'claude-code', 'other'])
})

test('a known client has its usual name, and another its own', () => {
  expect(['claude-ai', 'cursor-vscode', 'my-agent'].map(labelOfClient)).toEqual([
    'Claude Desktop',
    'Cursor',
    'my-agent',
  ])
})

test('a server of one connection has its name', () => {
  expect(serverName(null)).toBe('custom-connection')
  expect(serverName('Acme Orders ERP (staging)')).toBe('custom-connection-acme-orders-erp-staging')
  expect(serverName('注文')).toBe('custom-connection')
})
