import { z } from 'zod'
import { ServiceError } from '#shared/errors.ts'

/** The first file of a backup; it lists the others. */
export const manifestName = 'manifest.json'

/** The files of a backup, in this order, under their names in the data folder. */
export const backedUpNames = [
  'config.json',
  'secret.key',
  'admin-token',
  'events.sqlite',
  'history.sqlite',
  'knowledge.sqlite',
] as const
export type BackedUpName = (typeof backedUpNames)[number]

const formatName = 'custom-connection-backup'
const formatVersion = 3

export const Manifest = z.object({
  format: z.literal(formatName),
  formatVersion: z.int().min(1).max(formatVersion),
  /** The version of the program that wrote the backup. */
  productVersion: z.string(),
  createdAt: z.iso.datetime(),
  /**
   * Where the key of the credentials in config.json is: in the backup (`file`), in CUSTOM_CONNECTION_KEY, or in the
   * keychain of the computer.
   */
  dataKey: z.enum(['file', 'environment', 'keychain']),
  files: z.array(
    z.object({
      name: z.enum(backedUpNames),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})
export type Manifest = z.infer<typeof Manifest>

const Format = z.object({ format: z.literal(formatName), formatVersion: z.int() })

export function newManifest(facts: Omit<Manifest, 'format' | 'formatVersion'>): Manifest {
  return { format: formatName, formatVersion, ...facts }
}

/** @throws ServiceError `damaged_backup`; `newer_backup` if a newer version of this program wrote it. */
export function parseManifest(text: string): Manifest {
  const raw = parseJson(text)
  const format = Format.safeParse(raw)
  if (!format.success) throw damaged(`Its ${manifestName} is not that of a backup.`)
  if (format.data.formatVersion > formatVersion)
    throw new ServiceError('newer_backup', {
      detail: `The backup has format ${format.data.formatVersion}; this version of the program reads up to ${formatVersion}.`,
    })
  const parsed = Manifest.safeParse(raw)
  if (!parsed.success) throw damaged(`Its ${manifestName} is damaged: ${z.prettifyError(parsed.error)}.`)
  const names = parsed.data.files.map(file => file.name)
  if (new Set(names).size < names.length) throw damaged(`Its ${manifestName} names a file twice.`)
  if (!names.includes('config.json')) throw damaged('It contains no config.json.')
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damaged(`Its ${manifestName} is not JSON.`, cause)
  }
}

/** @param detail the problem, as a sentence. */
export function damaged(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('damaged_backup', { detail, cause })
}
