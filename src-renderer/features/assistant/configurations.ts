import { installLinks } from '#shared/install-links.ts'

/** The MCP clients with a configuration of their own, in the order of their tabs. */
export const mcpClients = [
  { id: 'claude-desktop', label: 'Claude Desktop', pattern: /^claude(?!.*code)/i },
  { id: 'claude-code', label: 'Claude Code', pattern: /claude[- ]?code/i },
  { id: 'vscode', label: 'VS Code', pattern: /^(?!.*cursor).*(visual studio code|vs ?code)/i },
  { id: 'cursor', label: 'Cursor', pattern: /cursor/i },
  { id: 'other', label: 'Other', pattern: null },
] as const
export type McpClientKind = (typeof mcpClients)[number]['id']

/** Returns the kind of a client by the name that it gives itself. */
export function kindOfClient(name: string): McpClientKind {
  return mcpClients.find(({ pattern }) => pattern?.test(name))?.id ?? 'other'
}

/** Returns the name by which people know a client: “Claude Desktop” calls itself `claude-ai`. */
export function labelOfClient(name: string): string {
  const kind = kindOfClient(name)
  return mcpClients.find(({ id }) => id === kind && id !== 'other')?.label ?? name
}

/** How a client reaches the service. */
export type Access =
  | { readonly transport: 'http'; readonly url: string; readonly token: string }
  | {
      readonly transport: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly token: string | null
    }

/** Where a client's configuration belongs, and what it is. */
type Configuration = {
  readonly json: string
  /** The file; null where each client has its own. */
  readonly file: string | null
  /** A prerequisite, as a sentence. */
  readonly needs: string | null
  /** An address that makes the client install the server. */
  readonly installUrl: string | null
  /** A command that does the same. */
  readonly command: string | null
}

type Platform = 'mac' | 'windows' | 'linux'

const claudeFolders: Readonly<Record<Platform, string>> = {
  mac: '~/Library/Application Support/Claude/',
  windows: '%APPDATA%\\Claude\\',
  linux: '~/.config/Claude/',
}

/**
 * Returns the configuration of a client.
 *
 * @param name of the server in the client, which several configurations must not share.
 * @param platform of the computer that the client runs on.
 */
export function configurationFor(
  client: McpClientKind,
  access: Access,
  name: string,
  platform: Platform,
): Configuration {
  const server = serverEntry(client, access)
  const json = compactLeaves(JSON.stringify({ [serversKey(client)]: { [name]: server } }, null, 2))
  const blank = { json, file: null, needs: null, installUrl: null, command: null }
  switch (client) {
    case 'claude-desktop':
      return {
        ...blank,
        file: `${claudeFolders[platform]}claude_desktop_config.json`,
        needs:
          access.transport === 'http'
            ? 'Claude Desktop only starts programs, so mcp-remote connects it. It needs Node.js.'
            : null,
      }
    case 'claude-code':
      return { ...blank, file: '.mcp.json', command: claudeCommand(access, name) }
    case 'vscode':
      return {
        ...blank,
        file: '.vscode/mcp.json',
        installUrl: `${installLinks.vscode}${encodeURIComponent(JSON.stringify({ name, ...server }))}`,
      }
    case 'cursor':
      return {
        ...blank,
        file: '~/.cursor/mcp.json',
        installUrl: `${installLinks.cursor}${new URLSearchParams({ name, config: base64(JSON.stringify(server)) })}`,
      }
    case 'other':
      return blank
  }
}

const serversKey = (client: McpClientKind) => (client === 'vscode' ? 'servers' : 'mcpServers')

/** The variable from which the stdio server takes its token. */
const tokenVariable = 'CUSTOM_CONNECTION_MCP_TOKEN'

function serverEntry(client: McpClientKind, access: Access): Record<string, unknown> {
  if (access.transport === 'stdio') {
    const { command, args, token } = access
    const program = { command, args, ...(token !== null && { env: { [tokenVariable]: token } }) }
    return client === 'vscode' || client === 'claude-code' ? { type: 'stdio', ...program } : program
  }
  const { url, token } = access
  const headers = { Authorization: `Bearer ${token}` }
  if (client === 'claude-desktop')
    // Some systems split an argument at its space, so the header's value comes from the environment.
    return {
      command: 'npx',
      args: ['-y', 'mcp-remote', url, ...insecure(url), '--header', `Authorization:\${AUTHORIZATION}`],
      env: { AUTHORIZATION: headers.Authorization },
    }
  return client === 'cursor' ? { url, headers } : { type: 'http', url, headers }
}

/** mcp-remote refuses HTTP without TLS to other computers unless it is allowed. */
const insecure = (url: string) =>
  /^http:\/\/(?!(localhost|127\.0\.0\.1|\[::1\])(:|\/))/.test(url) ? ['--allow-http'] : []

function claudeCommand(access: Access, name: string): string | null {
  if (access.transport === 'stdio') return null
  return `claude mcp add --transport http ${name} ${access.url} --header "Authorization: Bearer ${access.token}"`
}

/** The longest list on one line, in characters. */
const maxLine = 60

/** Puts a short list of texts and an object of one text on one line each. */
function compactLeaves(json: string): string {
  return json
    .replace(/\[\n\s+((?:"(?:[^"\\]|\\.)*",?\s+)+)\]/g, (list: string, items: string) => {
      const line = items.trim().replace(/,\n\s+/g, ', ')
      return line.length > maxLine ? list : `[${line}]`
    })
    .replace(/\{\n\s+("(?:[^"\\]|\\.)*": "(?:[^"\\]|\\.)*")\n\s+\}/g, '{ $1 }')
}

/** Returns the base64 of a text's UTF-8. */
function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''))
}

/** Returns the name of a server in a client: with the name of the connection, if it is of one. */
export function serverName(connectionName: string | null): string {
  const words =
    connectionName
      ?.toLowerCase()
      .normalize('NFKD')
      .match(/[a-z0-9]+/g) ?? []
  return ['custom-connection', ...words].join('-').slice(0, 60).replace(/-$/, '')
}
