import { ServiceError } from '#shared/errors.ts'
import type { Config, ConnectionRecord } from './config.ts'
import {
  ConfigFile,
  type ConnectionEntry,
  describeProblems,
  schemaVersion,
  unknownKeys,
} from './config-file-schema.ts'
import { DamagedContent } from './durable-json-file.ts'
import { SealedTextError, type Sealer } from './secrets.ts'

/** A configuration with the file that stands for it: what was sealed once is taken over from there. */
export type StoredConfig = { readonly config: Config; readonly file: ConfigFile }

type Field = 'inboundToken' | 'signingSecret' | 'previousSecret'
const contextOf = (connectionId: string, field: Field) => `connection/${connectionId}/${field}`

/**
 * The file that stands for `config`. Only credentials that differ from those in `before` are sealed anew, so
 * that unchanged lines of the file stay as they are.
 * @throws Error when `config` is not what the file can hold, which is a programming error.
 */
export function toFile(config: Config, sealer: Sealer, before: StoredConfig | null = null): ConfigFile {
  const entries = new Map(before?.file.connections.map(entry => [entry.connectionId, entry]))
  const connections = Array.from(config.connections.values(), record => {
    const known = before?.config.connections.get(record.connectionId)
    const entry = entries.get(record.connectionId)
    if (known === undefined || entry === undefined) return toEntry(record, sealer)
    return record === known ? entry : toEntry(record, rememberingSealer(sealer, known, entry))
  })
  // Parsed as it will be when it is read: what could not be read again must not be written.
  return ConfigFile.parse({
    schemaVersion,
    settings: config.settings,
    workspaces: [...config.workspaces.values()],
    connections,
  })
}

function toEntry(record: ConnectionRecord, sealer: Sealer): ConnectionEntry {
  const seal = (text: string, field: Field) => sealer.seal(text, contextOf(record.connectionId, field))
  const { previousSecret } = record
  return {
    ...record,
    eventTypes: [...record.eventTypes],
    inboundToken: seal(record.inboundToken, 'inboundToken'),
    signingSecret: seal(record.signingSecret, 'signingSecret'),
    previousSecret: previousSecret && {
      ...previousSecret,
      secret: seal(previousSecret.secret, 'previousSecret'),
    },
  }
}

/** Gives the sealed text of `entry` again for what has not changed since. */
function rememberingSealer(sealer: Sealer, known: ConnectionRecord, entry: ConnectionEntry): Sealer {
  const sealed = new Map<string, { text: string | undefined; sealed: string | undefined }>([
    [contextOf(known.connectionId, 'inboundToken'), { text: known.inboundToken, sealed: entry.inboundToken }],
    [
      contextOf(known.connectionId, 'signingSecret'),
      { text: known.signingSecret, sealed: entry.signingSecret },
    ],
    [
      contextOf(known.connectionId, 'previousSecret'),
      { text: known.previousSecret?.secret, sealed: entry.previousSecret?.secret },
    ],
  ])
  return {
    ...sealer,
    seal(text, context) {
      const before = sealed.get(context)
      return (before?.text === text ? before.sealed : undefined) ?? sealer.seal(text, context)
    },
  }
}

/**
 * Reads the JSON of a configuration file of the present version.
 * @returns also the JSON paths of keys that are not of this version, which the next write drops.
 * @throws DamagedContent naming the JSON paths; ServiceError `wrong_key` when no credential opens.
 */
export function fromFile(
  raw: unknown,
  sealer: Sealer,
): StoredConfig & { readonly unknown: readonly string[] } {
  const parsed = ConfigFile.safeParse(raw)
  if (!parsed.success) throw new DamagedContent(describeProblems(parsed.error))
  const file = parsed.data
  const { connections, opened, failed } = openConnections(file, sealer)
  if (failed.length > 0) {
    if (opened === 0) throw new ServiceError('wrong_key')
    throw new DamagedContent(`${failed.join(', ')}: cannot be decrypted, while others can`)
  }
  const config: Config = {
    settings: file.settings,
    workspaces: new Map(file.workspaces.map(workspace => [workspace.workspaceId, workspace])),
    connections,
  }
  return { config, file, unknown: unknownKeys(raw, file) }
}

/** A wrong key opens nothing; where only some do not open, they were changed since they were sealed. */
function openConnections(file: ConfigFile, sealer: Sealer) {
  const connections = new Map<string, ConnectionRecord>()
  const failed: string[] = []
  let opened = 0
  file.connections.forEach((entry, index) => {
    const open = (sealed: string, field: Field, path: string): string => {
      try {
        const text = sealer.open(sealed, contextOf(entry.connectionId, field))
        opened += 1
        return text
      } catch (error) {
        if (!(error instanceof SealedTextError)) throw error
        failed.push(`connections[${index}].${path}`)
        return ''
      }
    }
    const { previousSecret } = entry
    connections.set(entry.connectionId, {
      ...entry,
      inboundToken: open(entry.inboundToken, 'inboundToken', 'inboundToken'),
      signingSecret: open(entry.signingSecret, 'signingSecret', 'signingSecret'),
      previousSecret: previousSecret && {
        ...previousSecret,
        secret: open(previousSecret.secret, 'previousSecret', 'previousSecret.secret'),
      },
    })
  })
  return { connections, opened, failed }
}
