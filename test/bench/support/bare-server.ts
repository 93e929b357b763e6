/** The baseline: node:http that reads the body and answers 200, with nothing verified and nothing stored. */
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end('{"ok":true}')
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  console.log(JSON.stringify({ url: `http://127.0.0.1:${address.port}` }))
})
