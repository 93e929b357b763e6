import { z } from 'zod'
import { dayMs } from '../durations.ts'
import { ActionId, EventTypeId, Moment } from './identifiers.ts'
import { ImportFormat, Recognized } from './import-preview.ts'
import { Method } from './method.ts'

/** The document that a connection was imported from. */
export const ImportSource = z.object({
  format: z.string().describe('Its format, for example `openapi`.'),
  url: z.string().nullable().describe('Its address, if that was kept.'),
  importedAt: Moment,
  hash: z.string().describe('The SHA-256 of its text, as 64 hexadecimal digits.'),
})
export type ImportSource = z.infer<typeof ImportSource>

const Operation = z
  .string()
  .describe(
    'What the document calls it: `POST /refunds`; for an event type `event order.paid`; in an import document its tool name.',
  )

/** How an action or event type is called on both sides. */
export const ImportEntry = z.object({
  operation: Operation,
  kind: z.enum(['action', 'eventType']),
  name: z.string().describe('The tool name or the event name.'),
  label: z.string().nullable().describe('The name of the action, or the label of the event type.'),
  method: Method.nullable().describe('Null for an event type.'),
})
const entryWith = <Shape extends z.ZodRawShape>(shape: Shape) => ImportEntry.and(z.object(shape))

const workflows = z.array(z.string()).describe('The names of the workflows that use it.')

const ComparedField = z.object({
  field: z
    .string()
    .describe('`description`, `parameters.amount`, `headers.X-Api-Key`, `samplePayload` and so on.'),
  before: z
    .unknown()
    .describe('Its value in the connection, null for none. A long text is cut; a sample payload is a text.'),
  after: z.unknown().describe('Its value in the document, null for none.'),
  omitted: z
    .literal(true)
    .optional()
    .describe('Present if both values are left out, because the comparison is too large.'),
  edited: z.boolean().describe('Whether you have edited it since the last import.'),
  editedAt: Moment.nullable().describe('When you edited it.'),
})
export type ComparedField = z.infer<typeof ComparedField>

const Added = entryWith({
  inputs: z.int().describe('The number of parameters, or of variables of an event type.'),
  isEnabled: z.boolean(),
})
const Changed = entryWith({
  id: z.union([ActionId, EventTypeId]),
  fields: z.array(ComparedField),
  kept: z.array(z.string()).describe('The fields that only you have changed. They stay.'),
  workflows,
})
const Removed = entryWith({
  id: ActionId,
  edited: z.boolean().describe('Whether you have switched it on, or kept it in an earlier import.'),
  editedAt: Moment.nullable(),
  lastCalledAt: Moment.nullable().describe('When it was called last, as far as calls are kept.'),
  workflows,
})

/** The changes that importing a document again would make. Nothing is written. */
export const ImportComparison = z.object({
  hash: ImportSource.shape.hash,
  updatedAt: Moment.describe('The version of the connection that was compared.'),
  format: ImportFormat,
  documentVersion: Recognized.shape.documentVersion,
  added: z.array(Added).describe('Entries that are new in the document.'),
  changed: z.array(Changed).describe('Entries with fields that the document has changed.'),
  removed: z
    .array(Removed)
    .describe('Enabled actions that the document no longer has. Importing again switches them off.'),
  same: z.int().describe('The number of entries that the document has not changed.'),
  notTaken: z.int().describe('The number of entries that an earlier import left out.'),
})
export type ImportComparison = z.infer<typeof ImportComparison>

/** The operations and fields to take from a comparison. */
export const UpdateChoice = z.object({
  apply: z
    .array(Operation)
    .max(20_000)
    .describe(
      'The operations to take. The rest counts as decided: it is offered again when the document changes it again.',
    ),
  fields: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('By operation: the fields to take; by default those that you have not edited.'),
})
export type UpdateChoice = z.infer<typeof UpdateChoice>

/** The changes that importing a document again has made. */
export const ImportUpdate = z.object({
  added: z.array(z.string()).describe('Tool names and event names.'),
  changed: z.array(z.string()).describe('Tool names and event names.'),
  disabled: z.array(z.string()).describe('Tool names of actions that were switched off.'),
  updatedAt: Moment.describe('The version of the connection now.'),
})
export type ImportUpdate = z.infer<typeof ImportUpdate>

/** Milliseconds after a call in which an action is not switched off by default. */
const calledMs = 30 * dayMs

/**
 * Returns what to take of a comparison by default: everything but the fields that the user has edited, and the removal
 * of actions that the user has kept or that were called in the last 30 days. Pure.
 *
 * @param now milliseconds since 1970.
 */
export function defaultChoice({ added, changed, removed }: ImportComparison, now: number): string[] {
  const isUsed = (at: string | null) => at !== null && now - Date.parse(at) < calledMs
  return [
    ...added,
    ...changed.filter(({ fields }) => fields.some(({ edited }) => !edited)),
    ...removed.filter(({ edited, lastCalledAt }) => !edited && !isUsed(lastCalledAt)),
  ].map(({ operation }) => operation)
}
