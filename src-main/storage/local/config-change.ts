import { z } from 'zod'
import { isObject } from '#shared/json/exact-json.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { Config, ConnectionRecord } from '../config.ts'
import type { ConfigDiff, RecordDiff } from '../config-diff.ts'
import { connectionEntry, entryId, headOf, heldEntry } from './config-file.ts'
import { entrySchemas, type PartName, partNames } from './config-file-schema.ts'
import type { SealedTexts } from './sealed-texts.ts'

const JsonObject = z.custom<object>(isObject, 'must be a JSON object')

/** A changed record: without `entry` it was removed; with `at` it was added there, or moved. See `RecordDiff`. */
const EntryChange = z.object({
  id: z.string(),
  at: z.int().min(0).optional(),
  entry: JsonObject.optional(),
})
type EntryChange = z.infer<typeof EntryChange>

const EntryChanges = z.array(EntryChange).optional()

/** The changes of an update, as a line of a journal. Its records are checked when they are read as part of the file. */
export const FileChange = z.object({
  settings: JsonObject.optional(),
  listener: JsonObject.nullable().optional(),
  metricsToken: JsonObject.nullable().optional(),
  environment: EntryChanges,
  workspaces: EntryChanges,
  connections: EntryChanges,
  cases: EntryChanges,
  workflows: EntryChanges,
  clientTokens: EntryChanges,
  agents: EntryChanges,
  held: EntryChanges,
} satisfies Record<PartName | 'settings' | 'listener' | 'metricsToken', z.ZodType>)
export type FileChange = z.infer<typeof FileChange>

/**
 * Returns what an update has changed. Only that is sealed and checked, like a file that is read: what cannot be read
 * again must not be written.
 *
 * @throws Error if the file cannot hold it, which is a programming error.
 */
export function toFileChange(next: Config, diff: ConfigDiff, texts: SealedTexts): FileChange {
  const changedConnections = diff.connections.flatMap(({ after }) => after ?? [])
  // Without a change of workspaces, the others are in one that exists.
  requireWorkspaces(next, diff.workspaces.length > 0 ? next.connections.values() : changedConnections)
  const head = diff.settings || diff.listener || diff.metricsToken ? headOf(next, 0) : next
  return {
    ...(diff.settings && { settings: head.settings }),
    ...(diff.listener && { listener: head.listener }),
    ...(diff.metricsToken && { metricsToken: head.metricsToken }),
    ...changes('environment', diff.environment, (value, _before, name) => ({
      name,
      value: texts.ofVariable(name, value),
    })),
    ...changes('workspaces', diff.workspaces, value => entrySchemas.workspaces.parse(value)),
    ...changes('connections', diff.connections, (record, before) => connectionEntry(record, before, texts)),
    ...changes('cases', diff.cases, value => entrySchemas.cases.parse(value)),
    ...changes('workflows', diff.workflows, value => entrySchemas.workflows.parse(value)),
    ...changes('clientTokens', diff.clientTokens, value => entrySchemas.clientTokens.parse(value)),
    ...changes('agents', diff.agents, value => entrySchemas.agents.parse(value)),
    ...changes('held', diff.held, one => entrySchemas.held.parse(heldEntry(one, texts))),
  }
}

function changes<Value>(
  name: PartName,
  diffs: readonly RecordDiff<Value>[],
  /** Makes and checks the entry. */
  toEntry: (value: Value, before: Value | undefined, id: string) => object,
): Partial<Record<PartName, EntryChange[]>> {
  if (diffs.length === 0) return {}
  const entries = diffs.map(({ id, before, after, at }) => {
    if (after === undefined) return { id }
    const entry = toEntry(after, before, id)
    if (entryId(name, entry) !== id) throw new Error(`${name} has ${id} under another id.`)
    return { id, ...(at !== undefined && { at }), entry }
  })
  return { [name]: entries }
}

function requireWorkspaces({ workspaces }: Config, connections: Iterable<ConnectionRecord>): void {
  if (!workspaces.has(defaultWorkspaceId))
    throw new Error(`The workspace "${defaultWorkspaceId}" is missing.`)
  for (const { workspaceId } of connections)
    if (!workspaces.has(workspaceId)) throw new Error(`There is no workspace "${workspaceId}".`)
}

/** Returns the JSON of a configuration file with the changes of a journal, which has the same version. */
export function withChanges(file: unknown, changes: readonly FileChange[]): unknown {
  if (!isObject(file)) return file
  const result: Record<string, unknown> = { ...file }
  const parts = new Map<PartName, Map<string, unknown>>()
  for (const { settings, listener, metricsToken, ...lists } of changes) {
    if (settings !== undefined) result.settings = settings
    if (listener !== undefined) result.listener = listener
    if (metricsToken !== undefined) result.metricsToken = metricsToken
    for (const name of partNames) {
      const list = lists[name]
      if (list === undefined) continue
      const given = result[name]
      const before =
        parts.get(name) ??
        new Map(Array.isArray(given) ? given.map(entry => [entryId(name, entry), entry]) : [])
      parts.set(name, withEntries(before, list))
    }
  }
  for (const [name, entries] of parts) result[name] = [...entries.values()]
  return result
}

function withEntries(before: Map<string, unknown>, changes: readonly EntryChange[]): Map<string, unknown> {
  let entries = before
  for (const { id, entry, at } of changes) if (entry === undefined || at !== undefined) entries.delete(id)
  for (const { id, entry, at } of changes) {
    if (entry === undefined) continue
    if (at === undefined || at >= entries.size) entries.set(id, entry)
    else entries = new Map([...entries].toSpliced(at, 0, [id, entry]))
  }
  return entries
}
