import { numberOfAnyId, sequenceText } from '#main/lib/sequence.ts'
import { ServiceError } from '#shared/errors.ts'
import { type ExportSelection, type ListedOccurrence, mostExported } from '#shared/model/activity.ts'
import type { OccurrenceList } from './occurrence-list.ts'

type Parts = {
  readonly occurrences: Pick<OccurrenceList, 'list'>
  /** Returns the name of a connection; null if there is none. */
  readonly nameOf: (connectionId: string) => string | null
  /** The most items; `mostExported` by default. */
  readonly most?: number
}
type Selection = Omit<ExportSelection, 'format' | 'ids'>
type Items = readonly ListedOccurrence[]

/** The items of one answer of the list. */
const pageSize = 200

/**
 * Returns a list as the pieces of a file, newest first. It reads a page when its piece is wanted, so that the memory has
 * one page at a time. The items are those of the list, which has no secrets.
 *
 * @throws ServiceError as the list does, and `invalid_input` for an id that is none.
 */
export async function exportItems(
  { occurrences, nameOf, most = mostExported }: Parts,
  { format, ids, ...selection }: ExportSelection,
): Promise<AsyncGenerator<string, void>> {
  const pages =
    ids === undefined ? listPages(occurrences, selection) : pagesOfIds(occurrences, selection, ids)
  // Before the file begins, so that a wrong selection returns an error response.
  const first = await pages.next()

  async function* pieces(): AsyncGenerator<string, void> {
    if (format === 'csv') yield csvLine(columns)
    let left = most
    for (let page = first; page.done !== true; page = await pages.next()) {
      const items = page.value.slice(0, left)
      left -= items.length
      if (items.length > 0)
        yield items.map(format === 'csv' ? item => csvOf(item, nameOf) : jsonLine).join('')
      if (left === 0) return
    }
  }
  return pieces()
}

async function* listPages(
  occurrences: Parts['occurrences'],
  selection: Selection,
): AsyncGenerator<Items, void> {
  for (let before: string | undefined; ; ) {
    const { items, nextBefore } = await occurrences.list(selection, { before, limit: pageSize })
    yield items
    if (nextBefore === null) return
    before = nextBefore
  }
}

/** Reads each of the items by itself, newest first. */
async function* pagesOfIds(
  occurrences: Parts['occurrences'],
  selection: Selection,
  ids: readonly string[],
): AsyncGenerator<Items, void> {
  const numbers = [...new Set(ids.map(numberOf))].sort((one, other) => other - one)
  for (const number of numbers) {
    const around = {
      after: number > 0 ? sequenceText(number - 1) : undefined,
      before: number < Number.MAX_SAFE_INTEGER ? sequenceText(number + 1) : undefined,
    }
    yield (await occurrences.list(selection, { ...around, limit: 1 })).items
  }
}

function numberOf(id: string): number {
  const number = numberOfAnyId(id)
  if (number !== null) return number
  throw new ServiceError('invalid_input', {
    data: { issues: [{ path: 'ids', message: 'Must be ids of items, with commas.' }] },
  })
}

const jsonLine = (item: ListedOccurrence) => `${JSON.stringify(item)}\n`

const columns = [
  ...['id', 'at', 'type', 'connectionId', 'connection', 'name', 'subject', 'cause', 'status', 'tookMs'],
  ...['message', 'about'],
] as const
type Row = Readonly<Partial<Record<(typeof columns)[number], string | number | null>>>

function csvOf(item: ListedOccurrence, nameOf: Parts['nameOf']): string {
  const { id, at, type, connectionId } = item
  const connection = connectionId === null ? null : nameOf(connectionId)
  const row: Row = { id, at, type, connectionId, connection, ...factsOf(item) }
  return csvLine(columns.map(column => row[column] ?? ''))
}

/** Returns what the columns have of an item; `about` is the id of what it is about. */
function factsOf(item: ListedOccurrence): Row {
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed': {
      const { eventName: name, subject, tookMs, eventId: about } = item
      return { name, subject, tookMs, about }
    }
    case 'event.rejected': {
      const { message, tookMs, attemptId: about } = item
      return { cause: item.diagnosis?.code ?? item.code, message, tookMs, about }
    }
    case 'call.finished': {
      const { toolName: name, status, totalMs: tookMs, callId: about } = item
      return { name, status, tookMs, about, cause: item.code ?? (item.ok ? null : `http_${status}`) }
    }
    case 'call.refused':
      return { name: item.toolName, cause: item.code, about: item.refusalId }
    case 'workflow.notified':
      return { message: item.message, about: item.runId }
    case 'run.failed': {
      const { workflowName: name, subject, code: cause, message, runId: about } = item
      return { name, subject, cause, message, about }
    }
    case 'alert.opened':
    case 'alert.closed':
      return { name: item.alertKind, message: item.message, about: item.alertId }
  }
}

/** The first characters of a cell that a spreadsheet takes for a formula, those of full width among them. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** Returns a line of CSV as RFC 4180 has it. A cell that would be a formula begins with an apostrophe. */
function csvLine(cells: readonly (string | number)[]): string {
  const texts = cells.map(cell => {
    const text = String(cell).replace(formula, "'$&")
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${texts.join(',')}\r\n`
}
