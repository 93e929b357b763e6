import { z } from 'zod'
import { ImportIssue } from '../model/import-preview.ts'
import { Issue } from '../model/issue.ts'
import { Agent, mapShapes, type ShapeKind, ShapeName, type shapes } from '../model/platform/agent.ts'
import {
  KnowledgeEncoding,
  KnowledgeFile,
  KnowledgeFileName,
  KnowledgeMatch,
  KnowledgeSeparator,
  KnowledgeText,
  maxKnowledgeFileBytes,
  maxUploadPartBytes,
} from '../model/platform/knowledge.ts'
import { AgentId, defaultAgentId } from '../model/platform/parts.ts'
import {
  FilledText,
  KeywordMatches,
  PatternResults,
  Slots,
  TryKeyword,
  TryPatterns,
  TrySlots,
  TryText,
} from '../model/platform/try.ts'
import { PlatformEventType } from '../model/platform/webhook-event.ts'
import { Deleted, routesOf } from './base.ts'

const route = routesOf('platform', '/platform')
/** Inputs of several parts: the path's `params`, the `query`, and the `body`, which can be a list. */
const parts = { inputStructure: 'detailed' } as const

const ofWorkspace = { workspaceId: z.string().optional().describe('Left out: the default workspace.') }
const OfAgent = z.object({ ...ofWorkspace, agentId: AgentId.default(defaultAgentId) })

/** Returns the routes of a shape. The body of a PUT and every answer are the shape itself. */
function routesOfShape<const N extends ShapeName, Schema extends z.ZodType, Read extends z.ZodType>(
  name: N,
  { schema, read, what }: ShapeKind<Schema, Read>,
) {
  const path = `/${name}` as const
  return {
    get: route('GET', path, `Read ${what} of an agent; the defaults if nothing was saved`, [
      'workspace_not_found',
    ])
      .input(OfAgent)
      .output(read),
    set: route('PUT', path, `Save ${what} of an agent`, ['workspace_not_found', 'too_many_agents'])
      .route(parts)
      // A copy, so that the OpenAPI document does not name it: fields with defaults are optional here only.
      .input(z.object({ query: OfAgent, body: schema.clone() }))
      .output(schema),
    remove: route('DELETE', path, `Delete ${what} of an agent; the defaults hold again`, [
      'workspace_not_found',
    ])
      .route(parts)
      .input(z.object({ query: OfAgent }))
      .output(Deleted),
  }
}

/** Why a file is not added. */
export const refusedFile = [
  'workspace_not_found',
  'unsupported_file',
  'empty_file',
  'damaged_file',
  'encrypted_file',
  'file_too_large',
  'file_too_complex',
  'knowledge_full',
  'knowledge_busy',
] as const

/** Why a file cannot be read again as it is wanted. */
const refusedText = [
  'unsupported_file',
  'empty_file',
  'damaged_file',
  'encrypted_file',
  'file_too_complex',
  'knowledge_busy',
] as const
const chosenHint = 'null: the service guesses it. Left out: as before.'

/** The query of a file that is sent as one request, which is not a procedure of the contract. */
export const AddFileQuery = OfAgent.extend({
  name: KnowledgeFileName.optional().describe('Required unless the body is a form.'),
  encoding: KnowledgeEncoding.optional().describe('For a TXT or CSV. Left out: the service guesses it.'),
  separator: KnowledgeSeparator.optional().describe('For a CSV. Left out: the service guesses it.'),
})

const OneFile = z.object({ fileId: z.string() })
const OneUpload = z.object({ uploadId: z.string() })
const ofKnowledge = routesOf('knowledge', '/platform/knowledge')

const knowledge = {
  list: ofKnowledge('GET', '', 'The files that an agent may answer from, the newest first', [
    'workspace_not_found',
  ])
    .input(OfAgent)
    .output(z.array(KnowledgeFile)),
  search: ofKnowledge('GET', '/search', 'Search the files of an agent', ['workspace_not_found'])
    .input(
      OfAgent.extend({
        query: z
          .string()
          .trim()
          .min(1)
          .max(500)
          .describe(
            'Words; the first 16 count. Case and accents are ignored; the beginning of a word is enough, if it has two letters or more.',
          ),
        fileId: z.string().optional().describe('Only in this file.'),
        limit: z.coerce.number().int().min(1).max(50).default(10),
      }),
    )
    .output(
      z
        .array(KnowledgeMatch)
        .describe('The best first: passages with all words, or, if there are none, with some of them.'),
    ),
  get: ofKnowledge('GET', '/{fileId}', 'One file').input(OneFile).output(KnowledgeFile),
  text: ofKnowledge('GET', '/{fileId}/text', 'What was read from a file, in passages')
    .input(
      OneFile.extend({
        from: z.coerce.number().int().min(0).default(0).describe('The first passage.'),
        at: z.coerce
          .number()
          .int()
          .min(1)
          .optional()
          .describe('Instead of `from`: the page, paragraph, line or row to start at.'),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(KnowledgeText),
  read: ofKnowledge(
    'POST',
    '/{fileId}/read',
    'Read a file again, for example in another encoding',
    refusedText,
  )
    .input(
      OneFile.extend({
        encoding: KnowledgeEncoding.nullable().optional().describe(chosenHint),
        separator: KnowledgeSeparator.nullable().optional().describe(chosenHint),
      }),
    )
    .output(KnowledgeFile),
  remove: ofKnowledge('DELETE', '/{fileId}', 'Delete a file').input(OneFile).output(Deleted),
  startUpload: ofKnowledge('POST', '/uploads', 'Start the upload of a file in parts', [
    'workspace_not_found',
    'file_too_large',
    'knowledge_full',
    'knowledge_busy',
  ])
    .input(OfAgent.extend({ name: KnowledgeFileName, bytes: z.int().min(0) }))
    .output(OneUpload.extend({ partBytes: z.int().describe('The most bytes in a part.') })),
  addPart: ofKnowledge('POST', '/uploads/{uploadId}', 'Send the next part of a file', ['file_too_large'])
    .input(
      OneUpload.extend({
        offset: z.int().min(0).max(maxKnowledgeFileBytes).describe('The bytes that were sent before.'),
        base64: z.base64().max(Math.ceil(maxUploadPartBytes / 3) * 4),
      }),
    )
    .output(z.object({ bytes: z.int().describe('The bytes that have arrived.') })),
  finishUpload: ofKnowledge(
    'POST',
    '/uploads/{uploadId}/finish',
    'Read an uploaded file and add it',
    refusedFile,
  )
    .input(OneUpload)
    .output(KnowledgeFile),
  cancelUpload: ofKnowledge('DELETE', '/uploads/{uploadId}', 'Discard an upload')
    .input(OneUpload)
    .output(Deleted),
}

type OfShapes = {
  [N in ShapeName]: (typeof shapes)[N] extends ShapeKind<infer Schema, infer Read>
    ? ReturnType<typeof routesOfShape<N, Schema, Read>>
    : never
}

const OfShape = z.object({ shape: ShapeName })

const others = {
  knowledge,
  schema: route('GET', '/{shape}/schema', 'The JSON Schema of a shape')
    .input(OfShape)
    .output(z.record(z.string(), z.unknown())),
  validate: route('POST', '/{shape}/validate', 'Check a shape without saving it')
    .route(parts)
    .input(z.object({ params: OfShape, query: z.object({}), body: z.unknown() }))
    .output(z.object({ valid: z.boolean(), issues: z.array(Issue) })),
  agents: route('GET', '/agents', 'Agents that have a shape or a knowledge file', ['workspace_not_found'])
    .input(z.object({ workspaceId: z.string().optional().describe('Left out: all workspaces.') }))
    .output(z.array(Agent)),
  removeAgent: route('DELETE', '/agents', 'Delete all shapes of an agent', ['workspace_not_found'])
    .route(parts)
    .input(z.object({ query: z.object({ ...ofWorkspace, agentId: AgentId }) }))
    .output(Deleted),
  export: route('GET', '/export', 'All saved shapes of an agent as one document', ['workspace_not_found'])
    .input(OfAgent)
    .output(z.record(z.string(), z.unknown()).describe('`version`, `agentId`, and each shape by its name.')),
  import: route('POST', '/import', 'Import a document of an agent, all of it or nothing', [
    'workspace_not_found',
    'too_many_agents',
    'invalid_document',
  ])
    .route(parts)
    .input(
      z.object({
        query: z.object({
          ...ofWorkspace,
          agentId: AgentId.optional().describe(
            'Left out: the agent that the document names, else `default`.',
          ),
          dryRun: z.union([z.boolean(), z.stringbool()]).default(false).describe('Only check the document.'),
        }),
        body: z
          .unknown()
          .describe('The document of an export, or `{"text": "…"}` with it as text of at most 3 MiB.'),
      }),
    )
    .output(
      z.object({
        workspaceId: z.string(),
        agentId: AgentId,
        shapes: z.array(ShapeName).describe('The shapes that the document sets.'),
        warnings: z.array(ImportIssue),
      }),
    ),
  tryCrawlerPatterns: route('POST', '/try/crawler-patterns', 'Which URLs a crawler reads, and why')
    .input(TryPatterns)
    .output(PatternResults),
  trySlots: route('POST', '/try/slots', 'The appointments that can be offered on a date')
    .input(TrySlots)
    .output(Slots),
  tryKeyword: route('POST', '/try/keyword', 'The keywords of an agent that a text contains', [
    'workspace_not_found',
  ])
    .input(TryKeyword)
    .output(KeywordMatches),
  tryTextResponse: route('POST', '/try/text-response', 'A text response with its variables filled')
    .input(TryText)
    .output(FilledText),
  eventTypes: route(
    'GET',
    '/event-types',
    'The platform’s webhook events as event types that can be added to a connection',
  ).output(z.array(PlatformEventType)),
}

export const platform: OfShapes & typeof others = { ...mapShapes<OfShapes>(routesOfShape), ...others }
