import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { errnoOf, messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { createDigest, drain, piecesOf, readBytes } from './files.ts'
import { type BackedUpName, damaged, type Manifest, manifestName, parseManifest } from './manifest.ts'
import { readTar, type TarEntry } from './tar.ts'

/** Far more than the list of a few files takes. */
const maxManifestBytes = 64 * 1024

export type BackupReceiver = {
  /** Before the first of the files. */
  readonly onManifest?: (manifest: Manifest) => Promise<void>
  /** Takes the content of a file, whose digest is known to be right only when all has been read. */
  readonly onFile?: (name: BackedUpName, content: AsyncIterable<Buffer>) => Promise<void>
}

/**
 * Reads a backup from its first byte to its last and checks all of it: the files are those that its manifest
 * names, in that order, with that length and SHA-256, and nothing else. Also one that a browser has unzipped.
 *
 * @throws ServiceError `invalid_input` when the file cannot be read, `damaged_backup`, `newer_backup`, and what
 *   the receiver throws.
 */
export async function readBackup(file: string, receiver: BackupReceiver = {}): Promise<Manifest> {
  const entries = readTar(archiveOf(file))
  const manifest = await readManifest(await entries.next())
  await receiver.onManifest?.(manifest)
  for (const expected of manifest.files) {
    const { value, done } = await entries.next()
    if (done) throw damaged(`${expected.name} is missing in it.`)
    if (value.name !== expected.name || value.size !== expected.bytes)
      throw damaged(`It holds ${JSON.stringify(value.name)} where ${expected.name} belongs.`)
    const digest = createDigest()
    const content = digest.pass(value.content)
    await receiver.onFile?.(expected.name, content)
    await drain(content)
    if (digest.result().sha256 !== expected.sha256)
      throw damaged(`${expected.name} in it is not what was backed up.`)
  }
  const { value, done } = await entries.next()
  if (!done) throw damaged(`It holds ${JSON.stringify(value.name)}, which its ${manifestName} does not name.`)
  return manifest
}

async function readManifest({ value, done }: IteratorResult<TarEntry, void>): Promise<Manifest> {
  if (done || value.name !== manifestName) throw damaged(`It does not begin with ${manifestName}.`)
  if (value.size > maxManifestBytes) throw damaged(`Its ${manifestName} is too large.`)
  return parseManifest((await buffer(value.content)).toString('utf8'))
}

async function unzipped(file: string): Promise<AsyncIterable<Buffer>> {
  const isGzip = (await readBytes(file, 0, gzipMark.length)).equals(gzipMark)
  return isGzip ? pipeline(piecesOf(file), createGunzip(), () => {}) : piecesOf(file)
}

const gzipMark = Buffer.from([0x1f, 0x8b])

/** The archive; says of what goes wrong whether the disk or the file is to blame. */
async function* archiveOf(file: string): AsyncGenerator<Buffer> {
  try {
    yield* await unzipped(file)
  } catch (cause) {
    if (errnoOf(cause)?.startsWith('Z_'))
      throw damaged(`The file is cut short or damaged: ${messageOf(cause)}.`, cause)
    throwUnreadable(file, cause)
  }
}

function throwUnreadable(file: string, cause: unknown): never {
  throw new ServiceError('invalid_input', {
    detail: `The file ${file} cannot be read: ${messageOf(cause)}`,
    cause,
  })
}
