import {
  formatNames,
  type ImportDetails,
  type ImportPreview,
  type ImportResult,
  type Recognized,
  type SkippedBecause,
} from '#shared/model/import-preview.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'

/** Returns what a text is: “OpenAPI 3.1”. */
export function formatLabel({ format, version }: Recognized): string {
  return version === null || format === 'document' ? formatNames[format] : `${formatNames[format]} ${version}`
}

/** Returns “8 actions and 6 event types”, or an empty text for none. */
export function partsLabel(actions: number, eventTypes: number): string {
  const parts = [
    actions > 0 && formatCount(actions, 'action'),
    eventTypes > 0 && formatCount(eventTypes, 'event type'),
  ]
  return parts.filter(Boolean).join(' and ')
}

/** Returns the label of the import button, or null if there is nothing to import. */
export function importLabel(preview: ImportPreview): string | null {
  const parts = partsLabel(preview.actions.create.length, preview.eventTypes.create.length)
  if (parts !== '') return `Import ${parts}`
  return preview.connection?.connectionId === null ? 'Create the connection' : null
}

/** Returns why an entry is skipped: “Line 212: same tool name as line 9”. */
export function skippedLabel(name: 'tool name' | 'event name', line: number, why: SkippedBecause): string {
  const reason =
    why.kind === 'present'
      ? 'the connection has it already'
      : `same ${name} as line ${formatNumber(why.line)}`
  return `Line ${formatNumber(line)}: ${reason}`
}

/** Returns “2 duplicates skipped”, or null for none. */
export function skipsLabel(count: number): string | null {
  return count === 0 ? null : `${formatCount(count, 'duplicate')} skipped`
}

/** Returns the debounce of a text in milliseconds. A long text also takes time to send. */
export function previewDelay(length: number): number {
  return length < 200_000 ? 300 : 800
}

/** Returns the heading of the last step: “Acme Orders ERP created”. */
export function doneTitle(
  { created, connectionIds }: ImportResult,
  connection: ImportPreview['connection'],
): string {
  const parts = partsLabel(created.actions.length, created.eventTypes.length)
  const { length: several } = connectionIds
  if (several > 1)
    return parts === ''
      ? `${several} connections have all of it already`
      : `${parts} in ${several} connections`
  const name = connection?.name ?? 'The connection'
  if (connection?.connectionId === null)
    return parts === '' ? `${name} created` : `${name} created with ${parts}`
  return parts === '' ? `${name} has all of it already` : `${parts} added to ${name}`
}

/** Returns the entries of a preview as the import left them. A change made meanwhile may have altered the result. */
export function entriesDone(details: ImportDetails, { created }: ImportResult) {
  const present: SkippedBecause = { kind: 'present' }
  function settle<One extends { readonly skippedBecause: SkippedBecause | null }>(
    entries: readonly One[],
    names: readonly string[],
    nameOf: (one: One) => string,
  ): One[] {
    const waiting = new Set(names)
    // The first of the entries with the same name is created.
    return entries.map(one => ({
      ...one,
      skippedBecause: waiting.delete(nameOf(one)) ? null : (one.skippedBecause ?? present),
    }))
  }
  return {
    actions: settle(details.actions, created.actions, ({ toolName }) => toolName),
    eventTypes: settle(details.eventTypes, created.eventTypes, ({ eventName }) => eventName),
  }
}
