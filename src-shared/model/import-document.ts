import { z } from 'zod'
import { ActionData } from './action.ts'
import { PortableConnection } from './connection.ts'
import { EventTypeData } from './event-type.ts'

/** The only version of the import document. */
export const importVersion = 1

/** The limit for the text of an import in any format, in bytes of UTF-8. */
export const maxImportBytes = 16 * 1024 * 1024

/** The fields of an event type in a document except its sample, whose original text is written. */
export const ExportedEventType = EventTypeData.omit({ samplePayload: true, sampleText: true })

/**
 * The import document as an export writes it: every field of a connection, without secrets. An import can omit most
 * fields; src-main/importing validates it.
 */
export const ImportDocument = z.object({
  version: z.literal(importVersion),
  connection: PortableConnection,
  actions: z.array(ActionData),
  events: z.array(
    z.object({
      ...ExportedEventType.shape,
      samplePayload: z.unknown().describe('A JSON object of fields, or null.'),
    }),
  ),
})
export type ImportDocument = z.infer<typeof ImportDocument>
