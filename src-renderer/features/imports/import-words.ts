import type { ImportFormat, ImportPreview, SkippedBecause } from '#shared/model/import-preview.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'

export const formatLabels: Readonly<Record<ImportFormat, string>> = {
  document: 'Document',
  openapi: 'OpenAPI',
  curl: 'curl',
}

/** “8 actions and 6 event types”; empty where there are none. */
export function partsInWords(actions: number, eventTypes: number): string {
  return [
    ...(actions === 0 ? [] : [formatCount(actions, 'action')]),
    ...(eventTypes === 0 ? [] : [formatCount(eventTypes, 'event type')]),
  ].join(' and ')
}

/** What the button of an import says that it does; null where there is nothing to do. */
export function importLabel(preview: ImportPreview): string | null {
  const parts = partsInWords(preview.actions.create.length, preview.eventTypes.create.length)
  if (parts !== '') return `Import ${parts}`
  return preview.connection?.connectionId === null ? 'Create the connection' : null
}

/** Why an entry is skipped: “Line 212: same tool name as line 9”. */
export function skippedInWords(name: 'tool name' | 'event name', line: number, why: SkippedBecause): string {
  const reason =
    why.kind === 'present'
      ? 'the connection has it already'
      : `same ${name} as line ${formatNumber(why.line)}`
  return `Line ${formatNumber(line)}: ${reason}`
}

/** “2 duplicates skipped”; null without any. */
export function skipsInWords(count: number): string | null {
  return count === 0 ? null : `${formatCount(count, 'duplicate')} skipped`
}

/** How long a text rests before it is looked at again, in milliseconds: long ones travel, too. */
export function previewDelay(length: number): number {
  return length < 200_000 ? 300 : 800
}
