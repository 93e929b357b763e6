import { ServiceError } from '#shared/errors.ts'
import type { Config, ConnectionRecord } from '../config.ts'
import {
  ActionEntry,
  ConfigFile,
  ConfigFileAround,
  type ConnectionEntry,
  ConnectionEntryAround,
  describeProblems,
  EventTypeEntry,
  schemaVersion,
  unknownKeys,
} from './config-file-schema.ts'
import { DamagedContent } from './durable-json-file.ts'
import { SealedTextError, type Sealer } from './secrets.ts'

/** A configuration with the file that stands for it: what was sealed once is taken over from there. */
export type StoredConfig = { readonly config: Config; readonly file: ConfigFile }

/** All replaced secrets of a connection are sealed for the place of the one that earlier versions kept. */
type Field = 'inboundToken' | 'signingSecret' | 'previousSecret'
const contextOf = (connectionId: string, field: Field) => `connection/${connectionId}/${field}`
const contextOfVariable = (name: string) => `environment/${name}`

/**
 * The file that stands for `config`. Only what differs from `before` is sealed and checked anew, so that
 * unchanged lines of the file stay as they are and a change of one action costs no look at ten thousand.
 * @throws Error when `config` is not what the file can hold, which is a programming error.
 */
export function toFile(config: Config, sealer: Sealer, before: StoredConfig | null = null): ConfigFile {
  const entries = new Map(before?.file.connections.map(entry => [entry.connectionId, entry]))
  const connections = Array.from(config.connections.values(), record => {
    const known = before?.config.connections.get(record.connectionId)
    const entry = entries.get(record.connectionId)
    if (known === undefined || entry === undefined) return toEntry(record, sealer, null)
    return record === known ? entry : toEntry(record, rememberingSealer(sealer, known, entry), known)
  })
  // Parsed as it will be when it is read: what could not be read again must not be written.
  return ConfigFileAround.parse({
    schemaVersion,
    settings: config.settings,
    listener: config.listener,
    environment: sealEnvironment(config, sealer, before),
    workspaces: [...config.workspaces.values()],
    connections,
    ...sealHeld(config, sealer),
  })
}

/** Few, and for moments only: sealed again with each write. */
function sealHeld({ held }: Config, sealer: Sealer): Pick<ConfigFile, 'held'> {
  if (held === undefined || held.size === 0) return {}
  const entries = Array.from(held.values(), ({ record, deletedAt, place }) => ({
    deletedAt,
    place,
    connection: toEntry(record, sealer, null),
  }))
  return { held: entries }
}

function sealEnvironment(
  { environment }: Config,
  sealer: Sealer,
  before: StoredConfig | null,
): ConfigFile['environment'] {
  const entries = new Map(before?.file.environment.map(entry => [entry.name, entry]))
  return Array.from(environment, ([name, value]) => {
    const entry = before?.config.environment.get(name) === value ? entries.get(name) : undefined
    return entry ?? { name, value: sealer.seal(value, contextOfVariable(name)) }
  })
}

/** @param known the record before; its actions and event types were checked when it was read or written. */
function toEntry(record: ConnectionRecord, sealer: Sealer, known: ConnectionRecord | null): ConnectionEntry {
  const seal = (text: string, field: Field) => sealer.seal(text, contextOf(record.connectionId, field))
  const checked = new Set<object>([...(known?.actions ?? []), ...(known?.eventTypes ?? [])])
  for (const action of record.actions) if (!checked.has(action)) ActionEntry.parse(action)
  for (const type of record.eventTypes) if (!checked.has(type)) EventTypeEntry.parse(type)
  return ConnectionEntryAround.parse({
    ...record,
    actions: [...record.actions],
    eventTypes: [...record.eventTypes],
    inboundToken: seal(record.inboundToken, 'inboundToken'),
    signingSecret: seal(record.signingSecret, 'signingSecret'),
    oldSecrets: record.oldSecrets.map(({ secret, expiresAt }) => ({
      secret: seal(secret, 'previousSecret'),
      expiresAt,
    })),
  })
}

/** Gives the sealed text of `entry` again for what has not changed since. */
function rememberingSealer(sealer: Sealer, known: ConnectionRecord, entry: ConnectionEntry): Sealer {
  const placeOf = (field: Field, text: string) => `${contextOf(known.connectionId, field)}\n${text}`
  const sealed = new Map([
    [placeOf('inboundToken', known.inboundToken), entry.inboundToken],
    [placeOf('signingSecret', known.signingSecret), entry.signingSecret],
    ...known.oldSecrets.map(
      ({ secret }, index) => [placeOf('previousSecret', secret), entry.oldSecrets[index]?.secret] as const,
    ),
  ])
  return {
    ...sealer,
    seal: (text, context) => sealed.get(`${context}\n${text}`) ?? sealer.seal(text, context),
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
  const opener = createOpener(sealer)
  const config: Config = {
    settings: file.settings,
    listener: file.listener,
    environment: new Map(
      file.environment.map(({ name, value }, index) => [
        name,
        opener.open(value, contextOfVariable(name), `environment[${index}].value`),
      ]),
    ),
    workspaces: new Map(file.workspaces.map(workspace => [workspace.workspaceId, workspace])),
    connections: new Map(
      file.connections.map((entry, index) => [
        entry.connectionId,
        openConnection(entry, `connections[${index}]`, opener),
      ]),
    ),
    ...openHeld(file, opener),
  }
  opener.refuseFailures()
  return { config, file, unknown: unknownKeys(raw, file) }
}

type Opener = {
  /** @param path where the sealed text stands in the file. @returns an empty text where it does not open. */
  open(sealed: string, context: string, path: string): string
  /** @throws what `fromFile` throws of what did not open. */
  refuseFailures(): void
}

/** A wrong key opens nothing; where only some texts do not open, they were changed since they were sealed. */
function createOpener(sealer: Sealer): Opener {
  const failed: string[] = []
  let opened = 0
  return {
    open(sealed, context, path) {
      try {
        const text = sealer.open(sealed, context)
        opened += 1
        return text
      } catch (error) {
        if (!(error instanceof SealedTextError)) throw error
        failed.push(path)
        return ''
      }
    },
    refuseFailures() {
      if (failed.length === 0) return
      if (opened === 0) throw new ServiceError('wrong_key')
      throw new DamagedContent(`${failed.join(', ')}: cannot be decrypted, while others can`)
    },
  }
}

function openHeld({ held }: ConfigFile, opener: Opener): Pick<Config, 'held'> {
  if (held === undefined) return {}
  const records = held.map(({ deletedAt, place, connection }, index) => {
    const record = openConnection(connection, `held[${index}].connection`, opener)
    return [connection.connectionId, { deletedAt, place, record }] as const
  })
  return { held: new Map(records) }
}

function openConnection(entry: ConnectionEntry, path: string, opener: Opener): ConnectionRecord {
  const open = (sealed: string, field: Field, at: string = field) =>
    opener.open(sealed, contextOf(entry.connectionId, field), `${path}.${at}`)
  return {
    ...entry,
    inboundToken: open(entry.inboundToken, 'inboundToken'),
    signingSecret: open(entry.signingSecret, 'signingSecret'),
    oldSecrets: entry.oldSecrets.map(({ secret, expiresAt }, index) => ({
      secret: open(secret, 'previousSecret', `oldSecrets[${index}].secret`),
      expiresAt,
    })),
  }
}
