import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { type ListedOccurrence, type OccurrenceType, typesOfOutcome } from '#shared/model/activity.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import {
  type Asked,
  connectionNames,
  filtered,
  filterFields,
  listed,
  nameIn,
  Outcome,
  outcomeOption,
  printActivity,
  readActivity,
} from './activity-list.ts'
import { attemptRow } from './attempts.ts'
import { type CommonOptions, runsWith, TextOption } from './options.ts'
import { print, printable, printLine } from './output.ts'
import { askService, type ServiceClient } from './service-client.ts'

/** How many events `tail` prints first, and milliseconds between two of its questions. */
const firstShown = 10
const askEveryMs = 1000
/** Other nodes may store an event so many milliseconds after a later one. */
const overlapMs = 5000

export function addEvents(program: Command): void {
  const events = program.command('events').description('List, follow and show events of all connections.')
  const own = { ...filterFields, event: TextOption, outcome: Outcome }
  const selecting = (command: Command) =>
    command
      .option('--event <name>', 'only events of this name')
      .option('--cause <code>', 'only refused requests with this code or this mistake')
      .addOption(outcomeOption('ok: accepted events (the default); failed: refused requests'))
  const list = listed(events.command('list').description('List events, newest first.'))
  runsWith(selecting(list), own, listEvents)
  const tail = filtered(
    events.command('tail').description('Print the last events, and new ones as they come.'),
  )
  const first = `how many to print at first, 1 to 200 (default: ${firstShown})`
  runsWith(selecting(tail).option('--limit <n>', first), own, tailEvents)
  const show = events.command('show').description('Show an event or a refused request.')
  runsWith(show.argument('<id>', 'id of the event, or of the attempt'), {}, showEvent)
}

type Options = CommonOptions & Omit<Asked, 'kinds'> & { readonly event?: string | undefined }

const acceptedTypes: readonly OccurrenceType[] = typesOfOutcome.ok.filter(type => type.startsWith('event.'))

/** A cause is one of refused requests. */
function askedOf({ event: eventName, outcome, cause, ...filters }: Omit<Options, 'data' | 'json'>): Asked {
  const isRefused = outcome === 'failed' || (outcome === undefined && cause !== undefined)
  return { ...filters, eventName, cause, kinds: isRefused ? ['event.rejected'] : acceptedTypes }
}

async function listEvents({ data, json, ...options }: Options): Promise<void> {
  const asked = askedOf(options)
  const isRefused = asked.kinds.includes('event.rejected')
  await printActivity({ data, json }, service => readActivity(service, asked), {
    headings: isRefused
      ? ['RECEIVED', 'CODE', 'MISTAKE', 'CONNECTION', 'ID']
      : ['RECEIVED', 'EVENT', 'SUBJECT', 'NOTE', 'CONNECTION', 'ID'],
    rowOf,
    none: isRefused ? 'There are no such requests.' : 'There are no such events.',
  })
}

function rowOf(item: ListedOccurrence, connection: string): readonly string[] {
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed': {
      const { at, eventName, subject, eventId } = item
      return [at, eventName, subject ?? '-', noteOn(item), connection, eventId]
    }
    default:
      return attemptRow(item, connection)
  }
}

function noteOn(
  item: Extract<ListedOccurrence, { readonly subject: string | null; readonly eventId: string }>,
) {
  if (item.type === 'event.replayed') return 'replay'
  if (item.type === 'event.repeated') return 'ignored repeat'
  if (item.duplicateOf !== null) return `duplicate of ${item.duplicateOf}`
  if (item.repeat) return 'repeat'
  return item.declared ? '-' : 'undeclared'
}

async function tailEvents({ data, json, limit = firstShown, ...options }: Options): Promise<void> {
  const asked = askedOf(options)
  const stopped = new AbortController()
  // The reader of the output has gone, for example `head`.
  process.stdout.once('error', () => stopped.abort()).once('close', () => stopped.abort())
  await askService(data, async service => {
    const names = await connectionNames(service)
    const show = (items: readonly ListedOccurrence[]) => {
      for (const item of items.toReversed())
        if (json) printLine(item)
        else print(rowOf(item, nameIn(names, item)).map(printable).join('  '))
    }
    let newestAt = Date.now()
    const { items } = await readActivity(service, { ...asked, limit })
    show(items)
    // Those before the first that is shown are not new.
    const after = items.at(-1)?.id
    let seen = new Set(items.map(({ id }) => id))
    while (!stopped.signal.aborted) {
      await delay(askEveryMs, undefined, { signal: stopped.signal }).catch(() => {})
      const since = Math.max(asked.since ?? 0, newestAt - overlapMs)
      const found = await readAll(service, { ...asked, since, after })
      show(found.filter(({ id }) => !seen.has(id)))
      seen = new Set([...found.map(({ id }) => id), ...items.map(({ id }) => id)])
      newestAt = Math.max(newestAt, ...found.slice(0, 1).map(({ at }) => Date.parse(at)))
    }
  })
}

/** Reads all pages of what is asked for. */
async function readAll(service: ServiceClient, asked: Asked): Promise<ListedOccurrence[]> {
  const items: ListedOccurrence[] = []
  for (let before: string | undefined; ; ) {
    const page = await readActivity(service, { ...asked, before, limit: 200 })
    items.push(...page.items)
    if (page.nextBefore === null) return items
    before = page.nextBefore
  }
}

async function showEvent({ data, json }: CommonOptions, id = ''): Promise<void> {
  const { shown, lines } = await askService(data, async service => {
    const item = await service.call(contract.activity.get, { itemId: id })
    const connection = nameIn(await connectionNames(service), item)
    switch (item.type) {
      case 'event.accepted':
      case 'event.repeated':
      case 'event.replayed': {
        const { connectionId, eventId } = item
        const event = await service.call(contract.events.get, { connectionId, eventId })
        return { shown: event, lines: eventLines(event, connection, noteOn(item)) }
      }
      case 'event.rejected': {
        const { connectionId, attemptId } = item
        const attempt = attemptId === null ? null : await attemptOf(service, connectionId, attemptId)
        if (attempt === null)
          return { shown: item, lines: [attemptRow(item, connection).join('  '), item.message] }
        const { at, code, message, diagnosis, headers, bodyText } = attempt
        const mistake = diagnosis === null ? [] : [`mistake: ${diagnosis.code}: ${diagnosis.message}`]
        const lines = [`${attemptId}  ${at}  ${connection}`, `${code}: ${message}`, ...mistake]
        return { shown: attempt, lines: [...lines, ...headerLines(headers), '', ...bodyText.split('\n')] }
      }
      default:
        throw new ServiceError('event_not_found', {
          detail: `${id} is not the id of an event or an attempt.`,
        })
    }
  })
  if (json) printLine(shown)
  else print(...lines.map(printable))
}

/** Returns a refused request; null for one that is no longer kept. */
async function attemptOf(service: ServiceClient, connectionId: string | null, attemptId: string) {
  if (connectionId !== null) return service.call(contract.attempts.get, { connectionId, attemptId })
  const { attempts } = await service.call(contract.attempts.unknownToken, {})
  return attempts.find(attempt => attempt.attemptId === attemptId) ?? null
}

function eventLines(
  { eventId, eventName, receivedAt, headers, dataText }: StoredEvent,
  connection: string,
  note: string,
) {
  const head = [
    `${eventId}  ${receivedAt}  ${connection}`,
    note === '-' ? eventName : `${eventName} (${note})`,
  ]
  return [...head, ...headerLines(headers), '', ...dataText.split('\n')]
}

const headerLines = (headers: StoredEvent['headers']) => headers.map(([name, value]) => `${name}: ${value}`)
