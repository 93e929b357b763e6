import type { Config } from '../config.ts'
import type { ConfigDiff } from '../config-diff.ts'
import { toFileChange } from '../local/config-change.ts'
import { headOf, readConfig } from '../local/config-file.ts'
import { type PartName, partNames } from '../local/config-file-schema.ts'
import type { SealedTexts } from '../local/sealed-texts.ts'
import type { Connection, Row } from './connect.ts'

/** The kind of the row that has all but the lists, and the name of its id. */
const head = 'head'

/** The changes of updates that are written together. A later one replaces an earlier one of the same record. */
export class ConfigRows {
  readonly #docs = new Map<
    string,
    { readonly kind: string; readonly id: string; readonly doc: string | null }
  >()
  /** Lists in which a record was moved, or was not added at the end. */
  readonly #reordered = new Set<PartName>()

  /** Adds what an update has changed. Only that is sealed and checked. @throws Error for what cannot be stored. */
  add(next: Config, diff: ConfigDiff, texts: SealedTexts): void {
    const { settings, listener, ...lists } = toFileChange(next, diff, texts)
    if (settings !== undefined || listener !== undefined) this.#set(head, head, headOf(next, 0))
    for (const name of partNames)
      for (const { id, at, entry } of lists[name] ?? []) {
        this.#set(name, id, entry ?? null)
        if (at !== undefined) this.#reordered.add(name)
      }
  }

  #set(kind: string, id: string, value: object | null): void {
    this.#docs.set(`${kind} ${id}`, { kind, id, doc: value === null ? null : JSON.stringify(value) })
  }

  /** Writes them as one version. */
  async write(connection: Connection, version: number, next: Config): Promise<void> {
    const rows = [...this.#docs.values()]
    const column = (name: 'kind' | 'id' | 'doc') => rows.map(row => row[name])
    await connection.query(write, [version, column('kind'), column('id'), column('doc')])
    for (const name of this.#reordered)
      await connection.query(reorder, [name, [...(next[name]?.keys() ?? [])]])
  }
}

/** Records that were added later follow: their places come from the sequence, which has passed as many. */
const reorder = `UPDATE config_part SET place = u.place FROM unnest($2::text[]) WITH ORDINALITY AS u(id, place)
  WHERE kind = $1 AND config_part.id = u.id`
const write = {
  name: 'write_config',
  text: `INSERT INTO config_part AS p (kind, id, version, doc)
    SELECT kind, id, $1, doc FROM unnest($2::text[], $3::text[], $4::text[]) AS u(kind, id, doc)
    ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, doc = excluded.doc,
      place = CASE WHEN p.doc IS NULL THEN excluded.place ELSE p.place END`,
}

/**
 * Returns the configuration with what was written after a version. What has not changed stays the same object.
 *
 * @throws ServiceError `wrong_key`; DamagedContent for rows that no version of this program has written.
 */
export async function readChanges(
  connection: Connection,
  before: Config,
  version: number,
  texts: SealedTexts,
): Promise<Config> {
  const rows = await connection.query(changes, [version])
  const byKind = Map.groupBy(rows, ({ kind }) => String(kind))
  const docsOf = (kind: string) =>
    (byKind.get(kind) ?? []).flatMap(({ doc }) => (doc === null ? [] : JSON.parse(String(doc))))
  const lists = Object.fromEntries(partNames.map(name => [name, docsOf(name)]))
  const changedWorkspaces = new Set((byKind.get('workspaces') ?? []).map(({ id }) => id))
  const [headDoc = headOf(before, 0)] = docsOf(head)
  // Connections are only read with their workspaces.
  const otherWorkspaces = [...before.workspaces].flatMap(([id, one]) =>
    changedWorkspaces.has(id) ? [] : one,
  )
  const { config: read } = readConfig(
    { ...headDoc, ...lists, workspaces: [...otherWorkspaces, ...docsOf('workspaces')] },
    texts,
  )
  const orders = new Map<string, readonly Row[]>()
  for (const kind of byKind.keys()) orders.set(kind, await connection.query(order, [kind]))

  function merged<Value>(
    name: PartName,
    from: ReadonlyMap<string, Value>,
    changed: ReadonlyMap<string, Value>,
  ): ReadonlyMap<string, Value> {
    const changedIds = new Set((byKind.get(name) ?? []).map(({ id }) => id))
    if (changedIds.size === 0) return from
    const entries = (orders.get(name) ?? []).flatMap(({ id }): [string, Value][] => {
      const key = String(id)
      const value = changedIds.has(key) ? changed.get(key) : from.get(key)
      return value === undefined ? [] : [[key, value]]
    })
    return new Map(entries)
  }
  const held = merged('held', before.held ?? new Map(), read.held ?? new Map())
  return {
    settings: sameIfEqual(before.settings, read.settings),
    listener: sameIfEqual(before.listener, read.listener),
    environment: merged('environment', before.environment, read.environment),
    workspaces: merged('workspaces', before.workspaces, read.workspaces),
    connections: merged('connections', before.connections, read.connections),
    workflows: merged('workflows', before.workflows, read.workflows),
    clientTokens: merged('clientTokens', before.clientTokens, read.clientTokens),
    agents: merged('agents', before.agents, read.agents),
    ...(held.size > 0 && { held }),
  }
}

const sameIfEqual = <Value>(before: Value, read: Value) =>
  JSON.stringify(before) === JSON.stringify(read) ? before : read

const changes = {
  name: 'config_changes',
  text: 'SELECT kind, id, doc FROM config_part WHERE version > $1 ORDER BY kind, place',
}
const order = {
  name: 'config_order',
  text: 'SELECT id FROM config_part WHERE kind = $1 AND doc IS NOT NULL ORDER BY place',
}
