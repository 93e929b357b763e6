import { type Command, Option } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import type { ListedOccurrence, OccurrencePage, OccurrenceType } from '#shared/model/activity.ts'
import type { CallSource } from '#shared/model/call.ts'
import { TimeText } from '#shared/time.ts'
import { type CommonOptions, TextOption } from './options.ts'
import { printLine } from './output.ts'
import { emptyWords, type PageFields, paged, pageFields, sayNext } from './pages.ts'
import { askService, type ServiceClient } from './service-client.ts'
import { printTable } from './table.ts'

const TimeOption = TimeText.optional()

/** The options of `listed`. */
export const filterFields = {
  ...pageFields,
  ...{ connection: TextOption, cause: TextOption, text: TextOption, since: TimeOption, until: TimeOption },
}
type Filters = PageFields & {
  readonly connection?: string | undefined
  readonly cause?: string | undefined
  readonly text?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Adds the filters that all commands of the activity have. */
export function filtered(command: Command): Command {
  return command
    .option('--connection <id-or-name>', 'only those of this connection')
    .option('--text <text>', 'only those with this text')
    .option('--since <time>', 'only from this time on: ISO 8601 with an offset, or milliseconds since 1970')
}

/** Adds the options that all lists of the activity have. */
export const listed = (command: Command) =>
  paged(filtered(command).option('--until <time>', 'only before this time'))

export const Outcome = z.enum(['ok', 'failed']).optional()

/** Creates the option `--outcome`. @param words what it does. */
export const outcomeOption = (words: string) =>
  new Option('--outcome <outcome>', words).choices(['ok', 'failed'])

export type Asked = Filters & {
  readonly kinds: readonly OccurrenceType[]
  readonly outcome?: 'ok' | 'failed' | undefined
  readonly eventName?: string | undefined
  readonly actionId?: string | undefined
  readonly source?: CallSource | undefined
  readonly after?: string | undefined
}

/** Reads a page of the activity. @throws ServiceError as the route does, and `connection_not_found`. */
export async function readActivity(
  service: ServiceClient,
  { connection, kinds, since, until, ...query }: Asked,
): Promise<OccurrencePage> {
  const connectionId =
    connection === undefined ? undefined : (await service.findConnection(connection)).connectionId
  return service.call(contract.activity.list, {
    ...query,
    ...{ connectionId, kinds: kinds.join(','), since: textOf(since), until: textOf(until) },
  })
}

const textOf = (time: number | undefined) => (time === undefined ? undefined : String(time))

/** Returns the names of all connections, by id. */
export async function connectionNames(service: ServiceClient): Promise<ReadonlyMap<string, string>> {
  const connections = await service.call(contract.connections.list, {})
  return new Map(connections.map(({ connectionId, name }) => [connectionId, name]))
}

/** How a list shows its items. */
type Table = {
  readonly headings: readonly string[]
  /** @param connection the name of its connection. */
  readonly rowOf: (item: ListedOccurrence, connection: string) => readonly string[]
  /** The words for an empty list. */
  readonly none: string
}

/** Prints a page of the activity as a table, or as JSON what REST answers. */
export async function printActivity(
  { data, json }: CommonOptions,
  ask: (service: ServiceClient) => Promise<OccurrencePage>,
  { headings, rowOf, none }: Table,
): Promise<void> {
  const { page, names } = await askService(data, async service => ({
    page: await ask(service),
    names: json ? new Map<string, string>() : await connectionNames(service),
  }))
  if (json) return printLine(page)
  const rows = page.items.map(item => [...rowOf(item, nameIn(names, item))])
  printTable(headings, rows, emptyWords(page, none))
  sayNext(page)
}

/** Returns the name of an item’s connection, as tables show it. */
export const nameIn = (names: ReadonlyMap<string, string>, { connectionId }: ListedOccurrence) =>
  connectionId === null ? '-' : (names.get(connectionId) ?? connectionId)
