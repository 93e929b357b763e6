import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Ports of each worker, and the most workers that share none. */
const [portsEach, mostWorkers] = [2000, 8]
const first = 16_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % mostWorkers) * portsEach
let next = randomInt(portsEach)

/**
 * Returns a free port of 127.0.0.1 for a server that is to come back to it. Nobody else gets it meanwhile: the system gives
 * higher ones to connections and to servers that leave the choice to it, and each worker of the tests has its own.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next++ % portsEach)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
