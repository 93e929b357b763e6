import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { hourMs } from '#shared/durations.ts'
import type { Connection } from './connect.ts'
import { PerServer } from './per-server.ts'
import { queryOn } from './repeats.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Lists of several workflows: a page of one workflow reads each that has it. */
const mostLists = 128
/** Milliseconds for which the number of a list is used again. An unused list is deleted long after. */
const knownMs = hourMs
/** Milliseconds for which there were too many lists: triggers with conditions may make another one for each event. */
const fullMs = 60_000
/** Milliseconds after its last use from which a list without runs is deleted. */
export const unusedListMs = 24 * hourMs
/** Lists that this process remembers. */
const mostKnown = 4096

/** A list of workflows of one workspace. */
export type RunList = {
  readonly workspaceId: string
  /** A JSON array. */
  readonly workflows: string
}

const keyOf = ({ workspaceId, workflows }: RunList) => `${workspaceId} ${workflows}`

type Known = { readonly id: number; readonly until: number }

const hasSeveral = ({ workflows }: RunList) => workflows.includes('","')

/** The lists of workflows whose runs are stored together (migrations/007.ts). */
export class RunLists {
  readonly #clock
  readonly #ids = new PerServer(() => new Map<string, Known>())
  /** Until when no further list of several workflows is asked for. */
  readonly #full = new PerServer(() => ({ until: 0 }))
  readonly #workflows = new PerServer(() => new Map<number, ListOfRuns>())

  /** @param clock returns milliseconds since 1970. */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /**
   * Makes lists known on the server of a connection. Returns the number of each there by `numberOf`; null for one of several
   * workflows that is too much.
   */
  async know(connection: Connection, lists: readonly RunList[]): Promise<(list: RunList) => number | null> {
    const known = this.#ids.of(connection.server)
    const now = this.#clock()
    const full = this.#full.of(connection.server)
    const unknown = new Map<string, RunList>()
    for (const list of lists) {
      const key = keyOf(list)
      const isAsked = now >= (known.get(key)?.until ?? 0) && !(now < full.until && hasSeveral(list))
      if (isAsked) unknown.set(key, list)
    }
    if (unknown.size > 0) {
      if (known.size > mostKnown) known.clear()
      const byDigest = new Map(Array.from(unknown, ([key, list]) => [sha256Hex(key), { key, list }]))
      const digests = [...byDigest.keys()].sort()
      const values = [
        digests,
        digests.map(digest => toStored(byDigest.get(digest)?.list.workspaceId ?? '')),
        digests.map(digest => storedList(byDigest.get(digest)?.list.workflows ?? '[]')),
        now,
      ]
      const ids = new Map<unknown, number>()
      for (const { id, digest } of await queryOn(connection, knowLists, values)) ids.set(digest, Number(id))
      for (const [digest, { key }] of byDigest) {
        const id = ids.get(digest)
        if (id === undefined) full.until = now + fullMs
        else known.set(key, { id, until: now + knownMs })
      }
    }
    return list => known.get(keyOf(list))?.id ?? null
  }

  /** Returns lists by their numbers, those on the server of a connection. */
  async read(connection: Connection, numbers: readonly number[]): Promise<ReadonlyMap<number, ListOfRuns>> {
    const known = this.#workflows.of(connection.server)
    const wanted = [...new Set(numbers)]
    const found = new Map(
      wanted.flatMap(number => {
        const list = known.get(number)
        return list === undefined ? [] : [[number, list] as const]
      }),
    )
    if (found.size === wanted.length) return found
    if (known.size > mostKnown) known.clear()
    const unknown = wanted.filter(number => !found.has(number))
    for (const row of await queryOn(connection, readLists, [unknown])) {
      const workflows: unknown = row.workflows
      if (!Array.isArray(workflows)) continue
      const names = workflows.map(workflow => fromStored(String(workflow)))
      const list = { workspaceId: fromStored(String(row.workspace)), workflows: names }
      known.set(Number(row.id), list)
      found.set(Number(row.id), list)
    }
    return found
  }
}

export type ListOfRuns = { readonly workspaceId: string; readonly workflows: readonly string[] }

/** Returns the JSON of a list with its texts as they are stored. */
function storedList(workflows: string): string {
  const parsed: unknown = JSON.parse(workflows)
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(one => toStored(String(one))) : [])
}

/** Adds those that are not there, unless there are too many. */
const knowLists = {
  name: 'know_run_lists',
  text: `INSERT INTO run_list (digest, workspace, workflows, used_at)
    SELECT u.digest, u.workspace, ARRAY(SELECT jsonb_array_elements_text(u.workflows::jsonb)), $4::bigint
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u(digest, workspace, workflows, nth)
    WHERE jsonb_array_length(u.workflows::jsonb) = 1 OR EXISTS (SELECT FROM run_list AS l WHERE l.digest = u.digest)
      OR (SELECT count(*) FROM run_list WHERE cardinality(run_list.workflows) > 1) + u.nth <= ${mostLists}
    ORDER BY u.digest
    ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at RETURNING id, digest`,
}
const readLists = {
  name: 'read_run_lists',
  text: 'SELECT id, workspace, workflows FROM run_list WHERE id = ANY ($1::int[])',
}
