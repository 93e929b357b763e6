import { isObject } from '#shared/json/exact-json.ts'
import type { AssistantTool, ClientToken } from '#shared/model/assistant.ts'
import { quote } from '../../entities/snippet/quote.ts'
import { allowedBy } from './permissions.ts'

/** Returns the tool for a first call: one that only reads and runs without asking, with the fewest required arguments. */
export function toolToTry(tools: readonly AssistantTool[], token: ClientToken | null): AssistantTool | null {
  const usable = tools.filter(
    tool => tool.annotations.readOnly && (token === null || allowedBy(token, tool)?.permission === 'run'),
  )
  return usable.toSorted((one, other) => requiredOf(one).length - requiredOf(other).length)[0] ?? null
}

type Called = Pick<AssistantTool, 'inputSchema'> & {
  /** At the address that is called. */
  readonly name: string
}

function requiredOf({ inputSchema: { required } }: Pick<AssistantTool, 'inputSchema'>): string[] {
  return Array.isArray(required) ? required.filter(name => typeof name === 'string') : []
}

const examples: Readonly<Record<string, unknown>> = {
  string: 'example',
  number: 1,
  boolean: true,
  object: {},
}

/** Returns the required arguments, with a value of the schema if it has one. */
function argumentsFor(tool: Called): Record<string, unknown> {
  const { properties } = tool.inputSchema
  const of = isObject(properties) ? properties : {}
  return Object.fromEntries(
    requiredOf(tool).map(name => {
      const schema = isObject(of[name]) ? of[name] : {}
      const [first] = [schema.examples, schema.enum].flatMap(list => (Array.isArray(list) ? list : []))
      return [name, schema.const ?? schema.default ?? first ?? examples[String(schema.type)] ?? 'example']
    }),
  )
}

const protocol = '2026-07-28'

/**
 * Returns a curl command that calls a tool over MCP. It is one request, because this version has no sessions.
 *
 * @param tool null for a command that lists the tools, and calls none.
 */
export function mcpCurl(
  { url, token }: { readonly url: string; readonly token: string },
  tool: Called | null,
): string {
  const method = tool === null ? 'tools/list' : 'tools/call'
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `MCP-Protocol-Version: ${protocol}`,
    `Mcp-Method: ${method}`,
    ...(tool === null ? [] : [`Mcp-Name: ${tool.name}`]),
  ]
  const meta = (name: string, value: unknown) => `"io.modelcontextprotocol/${name}": ${JSON.stringify(value)}`
  const called =
    tool === null
      ? ''
      : `"name": ${JSON.stringify(tool.name)}, "arguments": ${JSON.stringify(argumentsFor(tool))},\n    `
  const body = `{
  "jsonrpc": "2.0", "id": 1, "method": "${method}", "params": {
    ${called}"_meta": {
      ${[
        meta('protocolVersion', protocol),
        meta('clientInfo', { name: 'curl', version: '1' }),
        meta('clientCapabilities', {}),
      ].join(',\n      ')}
    }
  }
}`
  return [
    `curl -sS ${quote.curl(url)}`,
    ...headers.map(header => `-H ${quote.curl(header)}`),
    `-d ${quote.curl(body)}`,
  ].join(' \\\n  ')
}
