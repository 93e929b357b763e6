/**
 * The baseline: node:http that reads the body and answers 200, with nothing verified and nothing stored. Over TLS if a
 * certificate and its key are given.
 */
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

const [cert, key] = process.argv.slice(2)
const serve: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end('{"ok":true}')
  })
}
const server =
  cert === undefined || key === undefined
    ? createServer(serve)
    : createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, serve)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  console.log(JSON.stringify({ url: `${cert === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}` }))
})
