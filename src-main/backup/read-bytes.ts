import { open } from 'node:fs/promises'

/** So many bytes of a file from an offset on; zeros where it is shorter. */
export async function readBytes(file: string, offset: number, count: number): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const bytes = Buffer.alloc(count)
    await handle.read(bytes, 0, count, offset)
    return bytes
  } finally {
    await handle.close()
  }
}
