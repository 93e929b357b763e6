import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { errnoOf, messageOf, readBytes } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { createDigest, drain, piecesOf } from './files.ts'
import { type BackedUpName, damaged, type Manifest, manifestName, parseManifest } from './manifest.ts'
import { readTar, type TarEntry } from './tar.ts'

/** Far more than a manifest needs. */
const maxManifestBytes = 64 * 1024

type BackupReceiver = {
  /** Called before the first file. */
  readonly onManifest?: (manifest: Manifest) => Promise<void>
  /** Receives the content of a file. Its digest is checked when all was read. */
  readonly onFile?: (name: BackedUpName, content: AsyncIterable<Buffer>) => Promise<void>
}

/**
 * Reads a backup to its last byte and checks that it contains the files of its manifest, in that order, with that
 * length and SHA-256, and nothing else. It may be unzipped, because browsers unzip downloads.
 *
 * @throws ServiceError `invalid_input` if the file cannot be read, `damaged_backup`, `newer_backup`; the receiver's
 *   errors.
 */
export async function readBackup(file: string, receiver: BackupReceiver = {}): Promise<Manifest> {
  const entries = readTar(archiveOf(file))
  const manifest = await readManifest(await entries.next())
  await receiver.onManifest?.(manifest)
  for (const expected of manifest.files) {
    const { value, done } = await entries.next()
    if (done) throw damaged(`${expected.name} is missing.`)
    if (value.name !== expected.name || value.size !== expected.bytes)
      throw damaged(`It holds ${JSON.stringify(value.name)} where ${expected.name} belongs.`)
    const digest = createDigest()
    const content = digest.pass(value.content)
    await receiver.onFile?.(expected.name, content)
    await drain(content)
    if (digest.result().sha256 !== expected.sha256)
      throw damaged(`${expected.name} is not what was backed up.`)
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

/** Yields the archive. Its errors tell an unreadable file from a damaged one. */
async function* archiveOf(file: string): AsyncGenerator<Buffer> {
  try {
    yield* await unzipped(file)
  } catch (cause) {
    if (errnoOf(cause)?.startsWith('Z_'))
      throw damaged(`The file is truncated or damaged: ${messageOf(cause)}.`, cause)
    const detail = `The file ${file} cannot be read: ${messageOf(cause)}`
    throw new ServiceError('invalid_input', { detail, cause })
  }
}
