import { contract } from '#shared/contract/index.ts'
import {
  type ComparedField,
  defaultChoice,
  type ImportComparison,
  type ImportUpdate,
} from '#shared/model/import-comparison.ts'
import type { RequestedFormat } from '#shared/model/import-preview.ts'
import type { DocumentSource } from '#shared/model/import-source.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { CommandFailed, plural, print, printable, printLine } from './output.ts'
import { askService, type ServiceClient } from './service-client.ts'

/** The exit status of a dry run that would change something. */
const wouldChange = 3

/**
 * Compares a connection with its document and takes what the user has not edited. A dry run only prints the difference.
 *
 * @param source where the document is; by default at the address that the connection keeps.
 * @throws CommandFailed with status 3 if a dry run would change something; ServiceError.
 */
export async function updateConnection(
  options: { readonly data: string; readonly json: boolean; readonly dryRun: boolean },
  connection: string,
  source: Source,
  reading: { readonly format: RequestedFormat; readonly placeholders: Constants },
): Promise<void> {
  const { compared, chosen, result } = await askService(options.data, async service => {
    const { connectionId } = await service.findConnection(connection)
    const request = { connectionId, ...(await withText(service, source)), ...given(reading) }
    const compared = await service.call(contract.imports.compare, request)
    const apply = defaultChoice(compared, Date.now())
    if (options.dryRun) return { compared, chosen: apply, result: null }
    const { hash, updatedAt } = compared
    const update = { ...request, apply, hash, ifUpdatedAt: Date.parse(updatedAt) }
    return { compared, chosen: apply, result: await service.call(contract.imports.update, update) }
  })
  if (options.json) printLine({ ok: true, ...(result ?? compared) })
  else print(...describeComparison(compared, new Set(chosen), result).map(printable))
  if (result === null && chosen.length > 0) throw new CommandFailed(wouldChange)
}

/** Takes back the last update of a connection. @throws ServiceError `nothing_to_undo`, `changed_meanwhile`. */
export async function undoUpdate(data: string, connection: string): Promise<void> {
  await askService(data, async service => {
    const { connectionId } = await service.findConnection(connection)
    await service.call(contract.imports.undo, { connectionId })
  })
}

/** Where a document is, and its text if it is known. */
export type Source = Partial<DocumentSource> & { readonly text?: string }

/** Lets the running service fetch a document whose address is given, so that all further calls read the same text. */
export async function withText(service: ServiceClient, source: Source): Promise<Source> {
  const { url, header, text } = source
  if (url === undefined || text !== undefined) return source
  return { ...source, text: (await service.call(contract.imports.fetch, { url, header })).text }
}

function given({ format, placeholders }: { format: RequestedFormat; placeholders: Constants }) {
  return { format, ...(Object.keys(placeholders).length > 0 && { placeholders }) }
}

function describeComparison(
  { added, changed, removed, same, notTaken }: ImportComparison,
  chosen: ReadonlySet<string>,
  result: ImportUpdate | null,
): string[] {
  const tense = (done: string, would: string) => (result === null ? would : done)
  return [
    ...added.map(({ name, operation }) => `+ ${name} (${operation})`),
    ...changed.flatMap(({ name, operation, fields }) => [
      `~ ${name} (${operation})`,
      ...fields.map(field => `    ${describeField(field)}`),
    ]),
    ...removed.map(({ name, operation, editedAt, lastCalledAt }) => {
      const why = chosen.has(operation)
        ? tense('switched off', 'would be switched off')
        : editedAt !== null
          ? `kept: your choice of ${dayOf(editedAt)}`
          : `kept: called on ${dayOf(lastCalledAt)}`
      return `- ${name} (${operation}), ${why}`
    }),
    summary(result, chosen.size),
    `${same} unchanged${notTaken > 0 ? `, ${notTaken} not imported` : ''}.`,
  ]
}

function describeField({ field, before, after, omitted, edited, editedAt }: ComparedField): string {
  const change = omitted ? field : `${field}: ${shown(before)} → ${shown(after)}`
  return edited ? `${change} (yours of ${dayOf(editedAt)} is kept)` : change
}

/** Characters of a value that are shown. */
const maxShown = 200

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const text = JSON.stringify(value)
  return text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`
}

const dayOf = (moment: string | null) => moment?.slice(0, 10) ?? ''

function summary(result: ImportUpdate | null, chosen: number): string {
  if (result === null)
    return chosen === 0 ? 'Nothing would change.' : `${plural(chosen, 'change')} would be made.`
  const { added, changed, disabled } = result
  const made = added.length + changed.length + disabled.length
  if (made === 0) return 'Nothing has changed.'
  return `Added ${added.length}, changed ${changed.length}, switched off ${disabled.length}.`
}
