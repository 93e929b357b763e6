import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

/** Returns the bytes in use once all that can be freed has been. */
export function bytesInUse(): number {
  if (typeof collect === 'function') collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Returns `bytes` bytes of a chunked body in chunks of 1 byte, without its end. */
export function inSingleBytes(bytes: Uint8Array): Buffer {
  const chunks = Buffer.alloc(6 * bytes.length)
  for (const [index, byte] of bytes.entries()) {
    chunks.write('1\r\n', 6 * index, 'latin1')
    chunks[6 * index + 3] = byte
    chunks.write('\r\n', 6 * index + 4, 'latin1')
  }
  return chunks
}
