import { z } from 'zod'
import { ActionData } from './action.ts'
import { CaseRule, ExpectedStatus } from './case.ts'
import { PortableConnection } from './connection.ts'
import { EventTypeData } from './event-type.ts'
import { sendingFields } from './parameter.ts'

/** The only version of the import document. */
export const importVersion = 1

/** The limit for the text of an import in any format, in bytes of UTF-8. */
export const maxImportBytes = 16 * 1024 * 1024

/** The fields of an event type in a document except its sample, whose original text is written. */
export const ExportedEventType = EventTypeData.omit({ samplePayload: true, sampleText: true })

/** A case in a document. */
const ExportedCase = z.object({
  name: z.string(),
  arguments: z.unknown().describe('A JSON object.'),
  expect: z.object({
    status: ExpectedStatus,
    fields: z.array(z.object({ path: z.string(), rule: CaseRule, value: z.unknown().optional() })),
  }),
})

/**
 * The import document as an export writes it: every field of a connection, without secrets. An import can omit most
 * fields; src-main/importing validates it.
 */
export const ImportDocument = z.object({
  version: z.literal(importVersion),
  connection: PortableConnection,
  actions: z.array(ActionData.extend({ cases: z.array(ExportedCase).optional() })),
  events: z.array(
    z.object({
      ...ExportedEventType.shape,
      samplePayload: z.unknown().describe('A JSON object of fields, or null.'),
    }),
  ),
})
export type ImportDocument = z.infer<typeof ImportDocument>

/** Returns a warning about an export that another program for such documents may not understand; null for none. */
export function exportWarning({ connection, actions }: ImportDocument): string | null {
  const { sender, auth, rateLimit } = connection
  // Null is what a connection without them does.
  const parts: object[] = [{ sender, auth: auth ?? undefined, rateLimit: rateLimit ?? undefined }]
  for (const { sendsBody, cases, parameters } of actions) {
    parts.push({ sendsBody, cases })
    for (const parameter of parameters)
      parts.push(Object.fromEntries(Object.entries(parameter).filter(([name]) => name in sendingFields)))
  }
  const used = parts.flatMap(part => Object.entries(part).filter(([, value]) => value !== undefined))
  const names = [...new Set(used.map(([name]) => name))]
  return names.length === 0 ? null : `Other programs may not know these of its fields: ${names.join(', ')}.`
}
