import { z } from 'zod'
import { casesOf } from '#main/connections/cases.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type {
  OccurrenceBounds,
  OccurrenceStorage,
  OccurrenceSummary,
} from '#main/storage/occurrence-storage.ts'
import { tryParseExact } from '#shared/json/exact-json.ts'
import { CaseDifference, CaseResult, maxCases } from '#shared/model/case.ts'

const kind = 'case'

const mostOfConnection = 2 * maxCases.ofConnection

/**
 * The limits of these records in the storage of the history. A connection has one for each case, and those of deleted
 * cases until new ones take their place.
 */
export const caseBounds: Readonly<Record<string, OccurrenceBounds>> = {
  [kind]: { most: mostOfConnection, maxAgeMs: Number.MAX_SAFE_INTEGER, searched: [] },
}

/** Connections whose numbers are remembered. */
const mostKnown = 100
/** Connections whose results wait to be kept. */
const mostUnkept = 10

const KeptResult = CaseResult.omit({ differences: true }).extend({
  difference: CaseDifference.nullable(),
  /** The versions of the case and of its action that ran. */
  caseVersion: z.string(),
  actionVersion: z.string(),
})
/** The newest result of a case, as it is kept. */
export type KeptResult = z.infer<typeof KeptResult> & {
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The record of a case: its number, and when its result came. */
type Kept = Pick<OccurrenceSummary, 'number' | 'at'>

type Parts = {
  readonly storage: Pick<OccurrenceStorage, 'newestOfEach' | 'write'>
  readonly store: Pick<ConfigStore, 'snapshot'>
  /** Whether other processes write results too. */
  readonly isShared: boolean
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called once results of a connection are kept. */
  readonly onKept: (connectionId: string) => void
  /** Called when results cannot be kept: the runs are answered anyway. */
  readonly onError: (error: unknown) => void
}

/** The newest result of each case, in the storage of the history. The calls are their history. */
export type CaseResults = ReturnType<typeof createCaseResults>

export function createCaseResults({ storage, store, isShared, nextNumber, clock, onKept, onError }: Parts) {
  const inTurn = createSerialQueue()
  /** The record of each case, by connection, the last used one last. */
  const known = new Map<string, Map<string, Kept>>()

  /** The results that could not be kept, by connection: they are shown, and written with the next ones. */
  const unkept = new Map<string, readonly KeptResult[]>()

  const read = (connectionId: string, subjects?: readonly string[]) =>
    storage.newestOfEach({ kind, connectionId, subjects })

  async function recordsOf(connectionId: string, results: readonly KeptResult[]): Promise<Map<string, Kept>> {
    const bySubject = (found: OccurrenceSummary[]) => new Map(found.map(one => [one.subject, one]))
    if (isShared) {
      const ids = results.map(({ caseId }) => caseId)
      const own = bySubject(await read(connectionId, ids))
      // New ones may take the records of deleted cases.
      return ids.every(id => own.has(id)) ? own : bySubject(await read(connectionId))
    }
    const records: Map<string, Kept> = known.get(connectionId) ?? bySubject(await read(connectionId))
    known.delete(connectionId)
    known.set(connectionId, records)
    for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest)
    return records
  }

  /** Replaces the record of each case by one with the same number, so that there is one for each. */
  async function write(connectionId: string, results: readonly KeptResult[]): Promise<void> {
    const records: Map<string, Kept> = await recordsOf(connectionId, results)
    const cases = new Set(casesOf(store.snapshot(), connectionId).map(({ caseId }) => caseId))
    // Two nodes could take the same record at once, so they take those of deleted cases only if there are many.
    const isFull = records.size >= (isShared ? mostOfConnection - maxCases.atOnce : 0)
    const free = isFull ? [...records.keys()].filter(caseId => !cases.has(caseId)) : []
    const numberOf = ({ caseId, at }: KeptResult) => {
      const taken = records.has(caseId) ? undefined : free.pop()
      const number = records.get(taken ?? caseId)?.number ?? nextNumber()
      if (taken !== undefined) records.delete(taken)
      records.set(caseId, { number, at })
      return number
    }
    // A run of many keeps its results at its end, when another one may have kept a newer result. A time in the future is
    // from before the clock was set back.
    const isNewest = ({ caseId, at }: KeptResult) => {
      const keptAt = records.get(caseId)?.at ?? at
      return at >= keptAt || keptAt > clock()
    }
    // The case, or the whole connection, may have been deleted meanwhile.
    const occurrences = results
      .filter(one => cases.has(one.caseId) && isNewest(one))
      .map(({ at, ...result }) => ({
        ...{ number: numberOf({ at, ...result }), kind, connectionId, subject: result.caseId, at },
        ...{ summary: JSON.stringify(result), details: '{}', finding: null },
      }))
    if (occurrences.length === 0) return
    await storage.write({ occurrences, findings: [], now: clock() })
    onKept(connectionId)
  }

  async function keep(connectionId: string, results: readonly KeptResult[]): Promise<void> {
    const waiting = [...newestOf([...(unkept.get(connectionId) ?? []), ...results]).values()]
    try {
      await write(connectionId, waiting)
      unkept.delete(connectionId)
    } catch (error) {
      known.delete(connectionId)
      unkept.set(connectionId, waiting.slice(-maxCases.ofConnection))
      for (const oldest of unkept.keys()) if (unkept.size > mostUnkept) unkept.delete(oldest)
      onError(error)
    }
  }

  return {
    /** Returns the newest result of each case of a connection, by caseId. @param caseIds those that are wanted; all by default. */
    async newest(
      connectionId: string,
      caseIds?: readonly string[],
    ): Promise<ReadonlyMap<string, KeptResult>> {
      const stored = (await read(connectionId, caseIds)).flatMap(resultOf)
      return newestOf([...stored, ...(unkept.get(connectionId) ?? [])])
    },
    /** Keeps results, or shows them until they can be kept. Never rejects. */
    keep: (connectionId: string, results: readonly KeptResult[]): Promise<void> =>
      inTurn(() => keep(connectionId, results)),
  }
}

/** Returns the last result of each case. */
function newestOf(results: readonly KeptResult[]): Map<string, KeptResult> {
  return new Map(results.map(one => [one.caseId, one]))
}

function resultOf({ at, summary }: OccurrenceSummary): KeptResult[] {
  const { data } = KeptResult.safeParse(tryParseExact(summary))
  return data === undefined ? [] : [{ ...data, at }]
}
