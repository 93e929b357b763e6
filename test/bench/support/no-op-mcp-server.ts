/** The baseline: the SDK's own server on node:http, with one tool that does nothing. */
import { createServer } from 'node:http'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'no-op', version: '1.0.0' })
  const inputSchema = fromJsonSchema({ type: 'object', properties: { order_id: { type: 'string' } } })
  server.registerTool('no_op', { description: 'Does nothing.', inputSchema }, () => ({
    content: [{ type: 'text', text: '{"ok":true}' }],
  }))
  return server
})

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const pairs = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const { method = 'GET', url = '/' } = request
  const body = chunks.length === 0 ? null : Buffer.concat(chunks).toString('utf8')
  const answer = await handler.fetch(new Request(`http://localhost${url}`, { method, headers: pairs, body }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk)
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` }))
})
process.on('SIGTERM', () => process.exit())
