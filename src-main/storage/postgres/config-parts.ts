import type { Config } from '../config.ts'
import type { ConfigDiff, RecordDiff } from '../config-diff.ts'
import type { FileChange } from '../local/config-change.ts'
import { headOf, readConfig } from '../local/config-file.ts'
import { isUnchanged, type PartName, partNames } from '../local/config-file-schema.ts'
import type { SealedTexts } from '../local/sealed-texts.ts'

/** The part that has all but the records. */
export const headKind = 'head'

/** A record in the database. */
export type PartRow = {
  readonly kind: string
  readonly id: string
  /** Its order among the records of its kind. */
  readonly place: number
  /** The version of the configuration that changed the document. That of the row also counts a change of the place. */
  readonly docVersion: number
  /** The entry of a configuration file as JSON, its credentials sealed; null for one that was removed. */
  readonly doc: string | null
}
/** Rows that an update writes. */
export type PartChanges = {
  readonly changed: readonly Omit<PartRow, 'docVersion'>[]
  readonly moved: readonly Pick<PartRow, 'kind' | 'id' | 'place'>[]
}
type Known = Map<string, Pick<PartRow, 'place' | 'docVersion'>>

/** Translates between a configuration and its rows. It knows the places and the versions of all records. */
export function createConfigParts(texts: SealedTexts) {
  const known = new Map<string, Known>([headKind, ...partNames].map(kind => [kind, new Map()]))
  const knownOf = (kind: string) => known.get(kind) ?? new Map()

  /**
   * Returns a configuration with rows that others have written. Records whose documents are known stay the same objects.
   *
   * @throws DamagedContent, ServiceError `wrong_key`; nothing is known of the rows then.
   */
  function withRows(config: Config, rows: readonly PartRow[]): Config {
    const unknown = rows.filter(
      ({ kind, id, doc, docVersion }) => doc !== null && knownOf(kind).get(id)?.docVersion !== docVersion,
    )
    const docsOf = (kind: string) => unknown.flatMap(row => (row.kind === kind ? parse(row) : []))
    const [head = headOf(config, 0)] = docsOf(headKind)
    const lists = Object.fromEntries(partNames.map(name => [name, docsOf(name)]))
    const { config: read } = readConfig({ ...Object(head), ...lists }, texts, undefined, false)
    const part = <Value>(
      kind: PartName,
      current: ReadonlyMap<string, Value> = new Map(),
      changed: ReadonlyMap<string, Value> = new Map(),
    ) => merged(current, changed, rows, { kind, known: knownOf(kind) })
    const { held: heldBefore, settings, listener, metricsToken, ...before } = config
    const held = part('held', heldBefore, read.held)
    note(rows.filter(({ kind }) => kind === headKind))
    return {
      ...before,
      settings: isUnchanged(settings, read.settings) ? settings : read.settings,
      listener: isUnchanged(listener, read.listener) ? listener : read.listener,
      metricsToken: isUnchanged(metricsToken, read.metricsToken) ? metricsToken : read.metricsToken,
      environment: part('environment', config.environment, read.environment),
      workspaces: part('workspaces', config.workspaces, read.workspaces),
      connections: part('connections', config.connections, read.connections),
      cases: part('cases', config.cases, read.cases),
      workflows: part('workflows', config.workflows, read.workflows),
      clientTokens: part('clientTokens', config.clientTokens, read.clientTokens),
      agents: part('agents', config.agents, read.agents),
      ...(held.size > 0 && { held }),
    }
  }

  /** Takes note of rows that were written. */
  function note(rows: Iterable<Omit<PartRow, 'doc'> & { readonly doc?: string | null }>): void {
    for (const { kind, id, place, docVersion, doc } of rows)
      if (doc === null) knownOf(kind).delete(id)
      else knownOf(kind).set(id, { place, docVersion })
  }

  return {
    withRows,
    /**
     * Returns the rows to write for updates, each of which was applied to the result of the one before.
     *
     * @param changes what each of them has changed.
     * @param diff what all of them have changed.
     */
    rowsOf(next: Config, changes: readonly FileChange[], diff: ConfigDiff): PartChanges {
      const changed: PartChanges['changed'][number][] = []
      const moved: PartChanges['moved'][number][] = []
      if (diff.settings || diff.listener || diff.metricsToken)
        changed.push({ kind: headKind, id: '', place: 0, doc: JSON.stringify(headOf(next, 0)) })
      for (const kind of partNames) {
        const diffs: readonly RecordDiff<unknown>[] = diff[kind]
        if (diffs.length === 0) continue
        const before = knownOf(kind)
        const places = newPlaces([...(next[kind] ?? new Map()).keys()], diffs, before)
        const placeOf = (id: string) => places.get(id) ?? before.get(id)?.place ?? 0
        const entries = new Map(changes.flatMap(one => (one[kind] ?? []).map(({ id, entry }) => [id, entry])))
        for (const { id, before: earlier, after } of diffs) {
          if (after !== undefined && after === earlier) continue
          const doc = after === undefined ? null : JSON.stringify(entries.get(id))
          changed.push({ kind, id, place: placeOf(id), doc })
          places.delete(id)
        }
        for (const [id, place] of places) moved.push({ kind, id, place })
      }
      return { changed, moved }
    },
    /** Takes note of what an update has written. */
    wrote({ changed, moved }: PartChanges, version: number): void {
      note(changed.map(row => ({ ...row, docVersion: version })))
      note(moved.map(row => ({ ...row, docVersion: knownOf(row.kind).get(row.id)?.docVersion ?? version })))
    },
    /** Makes the documents of all rows be read again that are read. */
    forgetDocuments(): void {
      for (const ids of known.values())
        for (const [id, state] of ids) ids.set(id, { ...state, docVersion: Number.NaN })
    },
    /** Returns the rows that stand for the absence of all known records that are not among these. */
    missingFrom(rows: readonly PartRow[]): PartRow[] {
      const found = new Set(rows.map(({ kind, id }) => `${kind}/${id}`))
      return [...known].flatMap(([kind, ids]) =>
        [...ids]
          .filter(([id]) => !found.has(`${kind}/${id}`))
          .map(([id, state]) => ({ kind, id, ...state, doc: null })),
      )
    },
  }
}

const parse = ({ doc }: PartRow): unknown => JSON.parse(doc ?? 'null')

/** Returns a part with the rows of its kind, and takes note of them. */
function merged<Value>(
  current: ReadonlyMap<string, Value>,
  read: ReadonlyMap<string, Value>,
  rows: readonly PartRow[],
  { kind, known }: { readonly kind: PartName; readonly known: Known },
): ReadonlyMap<string, Value> {
  const own = rows.filter(row => row.kind === kind)
  if (own.length === 0) return current
  const values = new Map(current)
  const placeOf = (id: string) => known.get(id)?.place ?? 0
  let last = Number.NEGATIVE_INFINITY
  for (const id of values.keys()) last = Math.max(last, placeOf(id))
  let isInOrder = true
  for (const { id, place, docVersion, doc } of own.toSorted((one, two) => one.place - two.place)) {
    const before = known.get(id)
    const value = before?.docVersion === docVersion ? current.get(id) : read.get(id)
    if (doc === null || value === undefined) {
      known.delete(id)
      values.delete(id)
      continue
    }
    known.set(id, { place, docVersion })
    if (before?.place !== place) {
      values.delete(id)
      if (place <= last) isInOrder = false
      last = Math.max(last, place)
    }
    values.set(id, value)
  }
  return isInOrder ? values : new Map([...values].sort(([one], [two]) => placeOf(one) - placeOf(two)))
}

/** Returns the places of the records that were added or moved, or of all if there is no room between two others. */
function newPlaces(
  ids: readonly string[],
  diffs: readonly RecordDiff<unknown>[],
  known: Known,
): Map<string, number> {
  const free = new Set(
    diffs.flatMap(({ id, after, at }) =>
      after !== undefined && (at !== undefined || !known.has(id)) ? id : [],
    ),
  )
  const places = new Map<string, number>()
  let last = 0
  let waiting: string[] = []
  /** Spreads those that wait evenly. */
  const place = (step: number) => {
    for (const [index, id] of waiting.entries()) places.set(id, last + step * (index + 1))
    waiting = []
  }
  if (free.size === 0) return places
  for (const id of ids) {
    if (free.has(id)) waiting.push(id)
    else {
      const next = known.get(id)?.place ?? 0
      place((next - last) / (waiting.length + 1))
      last = next
    }
  }
  place(1)
  last = Number.NEGATIVE_INFINITY
  for (const id of ids) {
    const at = places.get(id) ?? known.get(id)?.place ?? 0
    if (at <= last) return new Map(ids.map((one, index) => [one, index + 1]))
    last = at
  }
  return places
}
