import { z } from 'zod'
import { Method } from './action.ts'
import { ParameterType } from './parameter.ts'

/** The only version of the import document (specification: Versioning). */
export const importVersion = 1

/** The limit for the text of an import in any format, in bytes of UTF-8 (decisions: Import, syntax). */
export const maxImportBytes = 10 * 1024 * 1024

const TextMap = z.record(z.string(), z.string())

/**
 * The import document as an export writes it (specification: Import document): every field of a connection, without
 * secrets. An import may omit more fields; src-main/importing validates it.
 */
export const ImportDocument = z.object({
  version: z.literal(importVersion),
  connection: z.object({
    name: z.string(),
    baseUrl: z.string().nullable(),
    persistEvents: z.boolean(),
  }),
  actions: z.array(
    z.object({
      name: z.string(),
      toolName: z.string(),
      description: z.string(),
      method: Method,
      path: z.string(),
      headers: TextMap.nullable(),
      parameters: z.array(
        z.object({
          name: z.string(),
          type: ParameterType,
          description: z.string(),
          required: z.boolean(),
        }),
      ),
      responseMapping: TextMap.nullable(),
      isEnabled: z.boolean(),
    }),
  ),
  events: z.array(
    z.object({
      eventName: z.string(),
      label: z.string().nullable(),
      samplePayload: z.unknown().describe('A JSON object of fields, or null.'),
    }),
  ),
})
export type ImportDocument = z.infer<typeof ImportDocument>
