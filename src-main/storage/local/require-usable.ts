import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { ifThere, messageOf, readBytes } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { readConfig } from './config-file.ts'
import { schemaVersion } from './config-file-schema.ts'
import { parseKey } from './data-key.ts'
import { readKeyFile } from './key-file.ts'
import { allMigrations, migrate } from './migrate.ts'
import { createSealedTexts } from './sealed-texts.ts'
import { createSealer } from './secrets.ts'
import { type DatabaseSchema, requireOwnSchema } from './sqlite/own-database.ts'
import { eventLogSchema, historySchema, knowledgeSchema } from './sqlite/schemas.ts'

const Versioned = z.object({ schemaVersion: z.int() })

const databases = [
  ['events.sqlite', eventLogSchema],
  ['history.sqlite', historySchema],
  ['knowledge.sqlite', knowledgeSchema],
] as const

/** Offset of `user_version` in a database file: 4 bytes, big-endian. */
const userVersionOffset = 60

/** Refuses unpacked files that a newer version of this program wrote. @throws ServiceError `newer_backup`. */
export async function refuseNewer(folder: string): Promise<void> {
  const config = await configVersion(join(folder, 'config.json'))
  if (config > schemaVersion) throw newer(`config.json has version ${config}`, schemaVersion)
  for (const [file, { name, migrations }] of databases) {
    const version = await versionOf(join(folder, file))
    if (version > migrations.length) throw newer(`its ${name} has version ${version}`, migrations.length)
  }
}

/** Returns 0 for an unreadable version: `requireUsable` reports what is wrong. */
async function configVersion(file: string): Promise<number> {
  try {
    return Versioned.parse(JSON.parse(await readFile(file, 'utf8'))).schemaVersion
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 0
    throw error
  }
}

/** Reads the file itself, because SQLite would create files beside the database. */
async function versionOf(file: string): Promise<number> {
  return (await ifThere(readBytes(file, userVersionOffset, 4)))?.readUInt32BE() ?? 0
}

function newer(what: string, known: number): ServiceError {
  return new ServiceError('newer_backup', {
    detail: `The backup was made by a newer version of this program: ${what}, this one knows versions up to ${known}.`,
  })
}

/**
 * Checks that a service can start on the unpacked files: the configuration opens with the key, and the databases contain
 * only what this program creates.
 *
 * @param given the key; null for the one in the backup, if it has one.
 * @throws ServiceError `damaged_backup`; `wrong_key` if the given key is not that of the backup.
 */
export async function requireUsable(folder: string, given: Buffer | null = null): Promise<void> {
  const key = given ?? (await keyIn(join(folder, 'secret.key')))
  if (key !== null) await requireOpenable(join(folder, 'config.json'), key, given !== null)
  for (const [file, schema] of databases) await requireOwn(join(folder, file), schema)
}

async function keyIn(keyFile: string): Promise<Buffer | null> {
  const keyText = await readKeyFile(keyFile)
  if (keyText === null || keyText.isWrapped) return null
  const key = parseKey(keyText.text)
  if (key === null) throw damaged('Its secret.key is not a key.')
  return key
}

async function requireOpenable(configFile: string, key: Buffer, isGiven: boolean): Promise<void> {
  try {
    const { value } = migrate(JSON.parse(await readFile(configFile, 'utf8')), allMigrations, schemaVersion)
    readConfig(value, createSealedTexts(createSealer(key)))
  } catch (cause) {
    if (isGiven && cause instanceof ServiceError && cause.code === 'wrong_key') {
      const detail = 'CUSTOM_CONNECTION_KEY is not the key with which the backup was made.'
      throw new ServiceError('wrong_key', { detail, cause })
    }
    const key = isGiven ? 'CUSTOM_CONNECTION_KEY' : 'its secret.key'
    throw damaged(`Its config.json cannot be used with ${key}: ${messageOf(cause)}`, cause)
  }
}

async function requireOwn(file: string, schema: DatabaseSchema): Promise<void> {
  if ((await ifThere(stat(file))) === null) return
  // With `immutable`, SQLite creates no files beside it.
  const database = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
  try {
    requireOwnSchema(database, schema)
  } catch (cause) {
    throw damaged(`Its ${schema.name} cannot be used: ${messageOf(cause)}`, cause)
  } finally {
    database.close()
  }
}

/** @param detail the problem, as a sentence. */
function damaged(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('damaged_backup', { detail, cause })
}
