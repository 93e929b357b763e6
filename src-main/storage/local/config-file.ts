import { z } from 'zod'
import { describeProblems } from '#main/lib/describe-problems.ts'
import { ServiceError } from '#shared/errors.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { agentKey, type Config, type ConnectionRecord, type HeldConnection } from '../config.ts'
import { freezeDeeply } from '../freeze-config.ts'
import {
  ActionEntry,
  ConfigHead,
  type ConnectionEntry,
  type Entry,
  EventTypeEntry,
  entrySchemas,
  isUnchanged,
  type PartName,
  requiredParts,
  ShallowConnectionEntry,
  schemaVersion,
  unknownKeys,
} from './config-file-schema.ts'
import { DamagedContent } from './durable-json-file.ts'
import type { Range, SplitJson } from './json-records.ts'
import type { SealedTexts } from './sealed-texts.ts'

export type ReadConfig = {
  /** The records are deeply frozen. */
  readonly config: Config
  /** The number of the last journal whose changes are in it. */
  readonly journal: number
  /** Where the file has those records that it has exactly as they would be written. */
  readonly ranges: Map<object, Range>
  /** The JSON paths of keys that this version does not know. */
  readonly unknown: readonly string[]
}

/** The key of the id in the records of a list, which must be unique. */
const idKeys: Partial<Record<PartName, string>> = {
  environment: 'name',
  workspaces: 'workspaceId',
  connections: 'connectionId',
  cases: 'caseId',
  workflows: 'workflowId',
  clientTokens: 'tokenId',
}

/** Returns the id by which the configuration has a record of the file, which need not be valid. */
export function entryId(name: PartName, entry: unknown): string {
  if (name === 'agents') return agentKey(Object(entry))
  if (name === 'held') return entryId('connections', Object(entry).connection)
  return String(Object(entry)[idKeys[name] ?? ''])
}

const schemas: { readonly [Name in PartName]: z.ZodType<Entry<Name>> } = entrySchemas

/**
 * Reads the JSON of a configuration file of the present version.
 *
 * @param recordOf finds the record in whose place an item of a list is.
 * @param isWhole false if what the records refer to may be missing.
 * @throws DamagedContent naming the JSON paths; ServiceError `wrong_key` if no credential opens; SyntaxError if a record
 *   that was found is not JSON.
 */
export function readConfig(
  raw: unknown,
  texts: SealedTexts,
  recordOf: SplitJson['recordOf'] = () => undefined,
  isWhole = true,
): ReadConfig {
  const issues: z.core.$ZodIssue[] = []
  const report = (path: PropertyKey[], message: string) =>
    issues.push({ code: 'custom', path, message, input: undefined })
  const unknown: string[] = []
  const ranges = new Map<object, Range>()
  const reader = texts.reader()

  function readPart<Name extends PartName, Value>(
    name: Name,
    toValue: (entry: Entry<Name>, path: string) => Value,
  ): Map<string, Value> {
    const values = new Map<string, Value>()
    const list: unknown = Object(raw)[name]
    if (list === undefined && !requiredParts.has(name)) return values
    if (!Array.isArray(list)) {
      report([name], 'must be a list')
      return values
    }
    for (const [index, item] of list.entries()) {
      const found = recordOf(item)
      const given: unknown = found === undefined ? item : found.parse()
      const { data, error } = schemas[name].safeParse(given)
      if (error !== undefined) {
        for (const issue of error.issues) issues.push({ ...issue, path: [name, index, ...issue.path] })
        continue
      }
      const path = `${name}[${index}]`
      const isSame = isUnchanged(given, data)
      if (!isSame) unknown.push(...unknownKeys(given, data, path))
      const id = entryId(name, data)
      const idKey = idKeys[name]
      if (values.has(id) && idKey !== undefined) report([name, index, idKey], `"${id}" is there twice`)
      const value = toValue(data, path)
      freezeDeeply(value)
      if (found !== undefined && isSame && isObject(value)) ranges.set(value, found.range)
      values.set(id, value)
    }
    return values
  }

  const openConnection = (entry: ConnectionEntry, path: string) => {
    const record = reader.openConnection(entry, path)
    reader.keep(record, entry)
    return record
  }
  const head = readHead(raw, unknown)
  issues.push(...(head.error?.issues ?? []))
  const parts = {
    environment: readPart('environment', ({ name, value }, path) =>
      reader.openVariable(name, value, `${path}.value`),
    ),
    workspaces: readPart('workspaces', entry => entry),
    connections: readPart('connections', openConnection),
    cases: readPart('cases', entry => entry),
    workflows: readPart('workflows', entry => entry),
    clientTokens: readPart('clientTokens', entry => entry),
    agents: readPart('agents', entry => entry),
  }
  const held = readPart('held', ({ connection, ...state }, path): HeldConnection => {
    return { ...state, record: openConnection(connection, `${path}.connection`) }
  })
  if (isWhole && issues.length === 0) {
    const { workspaces, connections } = parts
    if (!workspaces.has(defaultWorkspaceId))
      report(['workspaces'], `the workspace "${defaultWorkspaceId}" is missing`)
    for (const [index, { workspaceId }] of [...connections.values()].entries())
      if (!workspaces.has(workspaceId))
        report(['connections', index, 'workspaceId'], `there is no workspace "${workspaceId}"`)
  }
  if (head.data === undefined || issues.length > 0)
    throw new DamagedContent(describeProblems(new z.ZodError(issues)))
  // A wrong key opens nothing. If only some texts do not open, they were changed.
  const { failed, isAnyOpened } = reader.outcome()
  if (failed.length > 0 && !isAnyOpened) throw new ServiceError('wrong_key')
  if (failed.length > 0)
    throw new DamagedContent(`${failed.join(', ')}: cannot be decrypted, while others can`)
  const isKnown = (key: string) => key in ConfigHead.shape || key in entrySchemas
  unknown.push(...Object.keys(Object(raw)).filter(key => !isKnown(key)))
  const { journal, settings, listener, metricsToken } = head.data
  return {
    config: { settings, listener, metricsToken, ...parts, ...(held.size > 0 && { held }) },
    journal,
    ranges,
    unknown,
  }
}

function readHead(raw: unknown, unknown: string[]) {
  const given: object = Object(raw)
  const own = Object.fromEntries(Object.entries(given).filter(([key]) => key in ConfigHead.shape))
  const { data, error } = ConfigHead.safeParse(own)
  if (data !== undefined) unknown.push(...unknownKeys(own, data))
  return { data, error }
}

/** Returns the file without its lists. @param journal the number of the last journal whose changes are in it. */
export function headOf(
  { settings, listener, metricsToken }: Pick<Config, 'settings' | 'listener' | 'metricsToken'>,
  journal: number,
) {
  return ConfigHead.parse({ schemaVersion, journal, settings, listener, metricsToken })
}

/**
 * Returns the entry of a connection.
 *
 * @param before the earlier record, whose actions and event types were checked; the record itself if it was.
 * @throws Error if the file cannot hold it, which is a programming error.
 */
export function connectionEntry(
  record: ConnectionRecord,
  before: ConnectionRecord | undefined,
  texts: SealedTexts,
): ConnectionEntry {
  const checked = new Set<object>([...(before?.actions ?? []), ...(before?.eventTypes ?? [])])
  for (const action of record.actions) if (!checked.has(action)) ActionEntry.parse(action)
  for (const type of record.eventTypes) if (!checked.has(type)) EventTypeEntry.parse(type)
  return ShallowConnectionEntry.parse({
    ...record,
    ...texts.ofConnection(record, before),
    actions: [...record.actions],
    eventTypes: [...record.eventTypes],
  })
}

/** Returns the entry of a held connection, whose record was checked. */
export function heldEntry({ record, ...state }: HeldConnection, texts: SealedTexts): Entry<'held'> {
  return { ...state, connection: connectionEntry(record, record, texts) }
}

/** A record: the object that `ranges` knows it by, and how to make its entry. */
type FileRecord = { readonly value: object | null; readonly toEntry: () => object }
export type FilePart = {
  readonly name: PartName
  readonly records: Iterable<FileRecord>
}

/** Returns the lists of the file, in its order. The records must have been checked. */
export function filePartsOf(config: Config, texts: SealedTexts): FilePart[] {
  const part = <Value extends object>(
    name: PartName,
    values: Iterable<Value>,
    toEntry: (value: Value) => object = value => value,
  ): FilePart => ({
    name,
    records: mapped(values, value => ({ value, toEntry: () => toEntry(value) })),
  })
  const { environment, workspaces, connections, cases, workflows, clientTokens, agents, held } = config
  return [
    {
      name: 'environment',
      records: mapped(environment, ([name, value]) => ({
        value: null,
        toEntry: () => ({ name, value: texts.ofVariable(name, value) }),
      })),
    },
    part('workspaces', workspaces.values()),
    part('connections', connections.values(), record => connectionEntry(record, record, texts)),
    part('cases', cases.values()),
    part('workflows', workflows.values()),
    part('clientTokens', clientTokens.values()),
    part('agents', agents.values()),
    ...(held === undefined ? [] : [part('held', held.values(), one => heldEntry(one, texts))]),
  ]
}

function* mapped<From, To>(values: Iterable<From>, to: (value: From) => To): Generator<To> {
  for (const value of values) yield to(value)
}
