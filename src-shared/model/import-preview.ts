import { z } from 'zod'
import { PortableConnection } from './connection.ts'
import { EnvironmentVariable } from './environment-variable.ts'
import { ConnectionId } from './identifiers.ts'
import { OfferedAuth, SignInType } from './import-auth.ts'
import { LeftOutOperation, OperationName, PlaceholderInPaths } from './import-operation.ts'
import { ImportServer } from './import-server.ts'
import { Issue } from './issue.ts'
import { Method } from './method.ts'

/** The format of an import's text: an import document, or a format that is converted to one first. */
export const ImportFormat = z.enum(['document', 'openapi', 'swagger', 'postman', 'curl'])
export type ImportFormat = z.infer<typeof ImportFormat>

export const formatNames: Readonly<Record<ImportFormat, string>> = {
  document: 'Custom Connection',
  openapi: 'OpenAPI',
  swagger: 'Swagger',
  postman: 'Postman',
  curl: 'curl command',
}

/** The format to read a text in; `auto` recognizes it by its content. */
export const RequestedFormat = z.enum(['auto', ...ImportFormat.options])
export type RequestedFormat = z.infer<typeof RequestedFormat>

/** A security scheme of a document. */
export const SignIn = z.object({
  type: SignInType,
  name: z.string().describe('The name of the scheme in the document.'),
  header: z.string().nullable().describe('The header that carries it; null if no header can.'),
})
export type SignIn = z.infer<typeof SignIn>

/** The format and the contents of a text, as far as it states them itself. */
export const Recognized = z.object({
  format: ImportFormat,
  version: z.string().nullable().describe('The version of the format, such as `3.1`; null if it has none.'),
  title: z.string().nullable(),
  documentVersion: z.string().nullable().describe('The version of the API, as the document states it.'),
  operations: z.int().describe('The number of operations, whether they become actions or not.'),
  webhooks: z.int().describe('The number of webhooks, callbacks or events.'),
  baseUrl: z.string().nullable(),
  signIn: z.array(SignIn),
})
export type Recognized = z.infer<typeof Recognized>

/** An error or a warning about an import, with its position in the text. */
export const ImportIssue = Issue.required({ line: true, column: true, severity: true })
export type ImportIssue = z.infer<typeof ImportIssue>

/** A part of an OpenAPI document or a curl command that an import document cannot express. */
export const Unsupported = z.object({
  name: z.string().describe('An operation (`GET /pets/{id}`), or a part of one (`POST /pets: tags`).'),
  part: z.string().nullable().describe('The part alone (`tags`); null for a whole operation.'),
  reason: z.string(),
  toolName: z
    .string()
    .nullable()
    .describe('The action that is imported without this part; null if no action is imported.'),
  line: z.int().min(1),
  column: z.int().min(1),
})
export type Unsupported = z.infer<typeof Unsupported>

const Names = z.array(z.string())
/** The names of a document's actions or event types. */
export const SortedNames = z.object({
  create: Names.describe('Names of the entries to create, in the order of the document.'),
  skip: Names.describe('Names of the skipped entries: existing ones and duplicates.'),
})

/** Why an entry is skipped: the connection, or an earlier part of the document, has one of the same name. */
export const SkippedBecause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('present') }),
  z.object({ kind: z.literal('repeated'), line: z.int().min(1).describe('The line of the first one.') }),
])
export type SkippedBecause = z.infer<typeof SkippedBecause>

const EntryPlace = {
  line: z.int().min(1),
  skippedBecause: SkippedBecause.nullable().describe('Null if the import creates it.'),
}

/** The details of each entry, in the order of the document. */
export const ImportDetails = z.object({
  documentBaseUrl: z
    .string()
    .nullable()
    .describe('The base URL of the document, if the existing connection has none: see `useBaseUrl`.'),
  actions: z.array(
    z.object({
      toolName: z.string(),
      operation: OperationName,
      tags: Names.describe('The tags of the operation; empty in formats without tags.'),
      method: Method,
      path: z.string(),
      isEnabled: z.boolean(),
      environmentVariables: Names.describe('The variables in its headers.'),
      parameters: z.int().describe('The number of its parameters that calls give.'),
      placeholders: z
        .array(z.object({ name: z.string(), as: z.enum(['parameter', 'constant']) }))
        .describe('The placeholders of its path in the document, and what each becomes.'),
      server: z.string().optional().describe('Its server, if the import has several.'),
      ...EntryPlace,
    }),
  ),
  eventTypes: z.array(
    z.object({
      eventName: z.string(),
      variables: z.int().describe('The number of {{variables}} in its sample payload.'),
      ...EntryPlace,
    }),
  ),
  environmentVariables: z.array(
    z.object({
      name: z.string(),
      headers: Names.describe('Names of the headers, or of the parameter of the sign-in, that send it.'),
      actions: z
        .int()
        .describe(
          'The number of actions that would send it: new ones, and with a new base URL or sign-in those that are there.',
        ),
      sources: EnvironmentVariable.shape.sources.describe('Where it is set; empty if nowhere.'),
    }),
  ),
})
export type ImportDetails = z.infer<typeof ImportDetails>

/** Names of the entries to import. All others are ignored. */
export const ImportSelection = z.object({
  actions: Names.nullish().describe('Tool names; by default all actions.'),
  eventTypes: Names.nullish().describe('Event names; by default all event types.'),
})
export type ImportSelection = z.infer<typeof ImportSelection>

/** The effects that an import would have. A preview writes nothing. */
export const ImportPreview = z.object({
  valid: z.boolean().describe('Whether the document can be imported: it has no error.'),
  recognized: Recognized.nullable().describe('Null if the text is not readable in the format.'),
  issues: z.array(ImportIssue),
  connection: z
    .object({
      connectionId: ConnectionId.nullable().describe('Null if the import creates a connection.'),
      ...PortableConnection.shape,
    })
    .nullable()
    .describe('The resulting connection; null if the document describes none.'),
  actions: SortedNames,
  eventTypes: SortedNames,
  environmentVariables: z
    .array(z.object({ name: z.string(), host: z.string().nullable() }))
    .describe('Each variable in a header of a new action, and the host that would receive it.'),
  unsupported: z
    .array(Unsupported)
    .describe('The omitted parts with their reasons; they are in the warnings too.'),
  placeholders: z
    .array(PlaceholderInPaths)
    .describe('The placeholders of the paths, also those with a constant, in the order of the document.'),
  leftOut: z.array(LeftOutOperation).describe('The operations that become no action.'),
  leftOutTotal: z.int().describe('Their number. If there are very many, `leftOut` has only the first ones.'),
  auth: z
    .array(OfferedAuth)
    .describe('The security schemes of the document that the connection can sign in with.'),
  servers: z
    .array(ImportServer)
    .describe('The base URL, the other servers that operations need, and alternatives to the base URL.'),
  details: ImportDetails,
})
export type ImportPreview = z.infer<typeof ImportPreview>

/** The names of the actions and event types of an import. */
export const EntryNames = z
  .object({ actions: Names, eventTypes: Names })
  .describe('Tool names and event names, by connection in the order of the document.')

/** The effects of an import. */
export const ImportResult = z.object({
  connectionId: ConnectionId,
  connectionIds: z
    .array(ConnectionId)
    .describe('All connections of the import, in the order of `servers`: one for each server that is taken.'),
  created: EntryNames,
  /** Existing entries and duplicates. */
  skipped: EntryNames,
  warnings: z.array(ImportIssue),
})
export type ImportResult = z.infer<typeof ImportResult>

/** The schemas of imports that the OpenAPI document names. A name with `New` is of requests. */
export const importModels = {
  EntryNames,
  ImportIssue,
  ImportPreview,
  ImportResult,
  NewImportFormat: RequestedFormat,
  SkippedBecause,
  SortedNames,
}
