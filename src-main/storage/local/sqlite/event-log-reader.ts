/** The reader thread: reads, checkpoints, the index, backups. It never changes an event. */
import { workerData } from 'node:worker_threads'
import { messageOf } from '#main/lib/file-system.ts'
import type { EventSummaryPage, EventSummaryQuery } from '#main/storage/event-log.ts'
import type { RunQuery } from '#main/storage/runs.ts'
import { summaryOf } from '../../excerpt.ts'
import { Background } from './background.ts'
import { backUp } from './backup.ts'
import { DamagedLogError, readableOrDamaged } from './damaged-log.ts'
import { Indexer } from './indexer.ts'
import { LogReader } from './log-reader.ts'
import { isDamage, openForReading } from './own-database.ts'
import type { EventLogThreadOptions } from './protocol.ts'
import { RunReader } from './run-reader.ts'
import { findPage, type Page } from './search.ts'
import { serveCalls, type Thread } from './serve-calls.ts'
import { TextIndex } from './text-index.ts'

const options: EventLogThreadOptions = workerData

export type ReaderMethods = ReturnType<typeof openReader>['methods']

function openReader({ report, notice }: Thread) {
  const database = openForReading(options.file)
  const reader = new LogReader(database)
  const runs = new RunReader(database, options.searchBounds)
  const onIndexDamage = (reason: string) =>
    notice(
      `The search index of the event log was damaged (${reason}). It is rebuilt, and no event is lost. Check the disk.`,
    )
  const index = new TextIndex(options.file, reader.identity(), reader.newestSeq(), onIndexDamage)
  const reportProblem = () => {
    if (index.problem !== null) report(indexProblem(index.problem))
  }
  reportProblem()
  const onFailure = (error: unknown) => {
    if (!isDamage(error) || error instanceof DamagedLogError) return report(error)
    onIndexDamage(messageOf(error))
    index.rebuild()
    reportProblem()
  }
  const background = new Background(
    options.file,
    new Int32Array(options.counters),
    new Indexer(reader, index),
    onFailure,
  )

  const reportDamage = () => report(new DamagedLogError('some of its events cannot be read'))

  async function list(request: EventSummaryQuery): Promise<Page> {
    try {
      const page = await findPage(reader, index, options.searchBounds, request)
      if (page.damaged > 0) reportDamage()
      return page
    } catch (error) {
      if (!isDamage(error) || error instanceof DamagedLogError) throw error
      // The index is damaged; this builds a new one.
      onFailure(error)
      return findPage(reader, index, options.searchBounds, request)
    }
  }

  return {
    newest: reader.newestSeq(),
    methods: {
      list,
      async summaries(request: EventSummaryQuery): Promise<EventSummaryPage> {
        const { events, checkedAbove, damaged, searched } = await list(request)
        return {
          events: events.map(event => summaryOf(event, request.text)),
          checkedAbove,
          damaged,
          searched,
        }
      },
      get(connectionId: string, seq: number) {
        const scope = reader.scope(connectionId)
        const event = scope && reader.get(scope, seq)
        if (event === 'damaged') reportDamage()
        return event
      },
      countBetween(connectionIds: readonly string[] | null, above: number, below: number) {
        const scopes = reader.scopes(connectionIds)
        return scopes.reduce((sum, scope) => sum + reader.countBetween(scope, above, below), 0)
      },
      countParts(connectionIds: readonly string[] | null, above: number, below: number, width: number) {
        const counts = new Array<number>(Math.ceil((below - above - 1) / width)).fill(0)
        for (const scope of reader.scopes(connectionIds))
          reader.countParts(scope, above, below, width, counts)
        return counts
      },
      newest: () => reader.newestSeq(),
      run(id: number) {
        const run = readableOrDamaged(() => runs.get(id))
        if (run === 'damaged') reportDamage()
        return run
      },
      async runs(query: RunQuery, before: number) {
        const page = await runs.list(query, before)
        if (page.damaged.length > 0) reportDamage()
        return page
      },
      workflowsOf: runs.workflowsOf.bind(runs),
      lastRuns: runs.lastRuns.bind(runs),
      stepFigures: runs.stepFigures.bind(runs),
      backup: (path: string) => backUp(options.file, path),
      close() {
        background.stop()
        index.close()
        database.close()
      },
    },
  }
}

function indexProblem(cause: unknown): Error {
  const problem = `The search index cannot be created (${messageOf(cause)}). Searches are slower until the next start.`
  return new Error(problem, { cause })
}

serveCalls(openReader)
