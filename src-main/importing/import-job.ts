import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import type { ImportChoice } from '#shared/model/import-operation.ts'
import { type ImportIssue, ImportPreview, type RequestedFormat } from '#shared/model/import-preview.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { parseCurl } from './curl/parse-curl.ts'
import { type DocumentText, textOf } from './document-text.ts'
import { previewImport } from './imports.ts'
import { parseOpenApi } from './openapi/parse-openapi.ts'
import { chooseOperations, unusedConstants } from './operations.ts'
import { type Parsed, parseDocument, sizeProblem, unusable } from './parse.ts'
import { place } from './place.ts'
import { type Plan, planImport } from './plan.ts'
import type { ImportTarget, PlanConfig } from './plan-connection.ts'
import { parsePostman } from './postman/parse-postman.ts'
import { hasErrors } from './problem.ts'
import { recognizeFormat } from './recognize.ts'
import { type Origin, originOf } from './reimport/items.ts'
import { type ReimportJob, runReimportJob } from './reimport/reimport-job.ts'
import { firstScheme, type SignInMode, unknownScheme } from './sign-in.ts'

/**
 * An import for the worker thread. Only that thread imports this file's values, so that a service without imports does
 * not load the parsers of YAML and shell commands.
 */
export type ImportJob = PlanJob | ReimportJob

type PlanJob = {
  readonly kind: 'preview' | 'plan'
  readonly text: DocumentText
  readonly format: RequestedFormat
  readonly placeholders: Constants
  readonly choose: ImportChoice
  readonly target: ImportTarget
  /** The base URL of the target; null for a new connection, or one without. */
  readonly baseUrl: string | null
  /** The address of the document; null if it is unknown. */
  readonly documentUrl?: string | null
  /** How calls sign in; by default with the first scheme of the document. */
  readonly signIn?: SignInMode
  readonly config: PlanConfig
  /** Where each variable is set; one that is not set is missing. */
  readonly variables: SetVariables
}

/** Where variables are set, by their names. */
export type SetVariables = ReadonlyMap<string, EnvironmentVariable['sources']>

/** The plan of an import, and its issues. */
export type PlannedImport = {
  /** Null if the document has errors. */
  readonly plan: Pick<Plan, 'connection' | 'actions' | 'eventTypes' | 'skipped'> | null
  readonly issues: readonly ImportIssue[]
  /** Null for a curl command: it is not a document that could be imported again. */
  readonly origin: Origin | null
}

/**
 * Returns the result of a job as JSON. Parsing it takes half as long as a structured clone, and keeps
 * keys such as `__proto__`. A preview and a comparison are sent to the client as they are, so they are checked here. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`.
 */
export function runImportJob(job: ImportJob): string {
  if (job.kind === 'compare' || job.kind === 'update')
    return runReimportJob(
      job,
      readImport(textOf(job.text), job.format, null, job.placeholders, job.documentUrl, job.signIn),
    )
  const { kind, text, format, target, baseUrl, documentUrl, config, placeholders, variables, signIn } = job
  const read = readImport(textOf(text), format, baseUrl, placeholders, documentUrl, signIn)
  const asked = [...unusedConstants(read, placeholders), ...unknownScheme(read, signIn ?? firstScheme)]
  const parsed = chooseOperations({ ...read, problems: [...read.problems, ...asked] }, job.choose)
  /** Returns whether an issue still applies: one about a missing variable ends when it is set. */
  const isOpen = ({ variable }: ImportIssue) => variable === undefined || !variables.has(variable)
  if (kind === 'preview') {
    const preview = previewImport(config, parsed, target)
    const sourced = preview.details.environmentVariables.map(one => ({
      ...one,
      sources: variables.get(one.name) ?? [],
    }))
    const shown: ImportPreview = {
      ...preview,
      issues: preview.issues.filter(isOpen),
      details: { ...preview.details, environmentVariables: sourced },
    }
    return JSON.stringify(ImportPreview.parse(shown))
  }
  const { recognized } = read
  const plan = planImport(config, parsed.content, target)
  const { connection, actions, eventTypes, skipped, problems } = plan
  const all = [...parsed.problems, ...problems]
  const planned: PlannedImport = {
    plan: hasErrors(all) ? null : { connection, actions, eventTypes, skipped },
    issues: place(parsed, all).issues.filter(isOpen),
    origin:
      recognized === null || recognized.format === 'curl'
        ? null
        : originOf(read, recognized, placeholders, plan),
  }
  return JSON.stringify(planned)
}

/**
 * Parses an import in any format. Never throws: errors are problems. Pure.
 *
 * @param baseUrl of the connection that it goes to; null for a new one, or one without.
 * @param constants replace placeholders of paths.
 * @param documentUrl the address of the document, which its relative servers refer to; null if it is unknown.
 * @param signIn how the calls of an OpenAPI or Swagger document sign in.
 */
export function readImport(
  text: string,
  format: RequestedFormat,
  baseUrl: string | null,
  constants: Constants = {},
  documentUrl: string | null = null,
  signIn: SignInMode = firstScheme,
): Parsed {
  switch (format) {
    case 'auto': {
      const size = sizeProblem(text)
      if (size !== null) return unusable(text, size)
      const recognized = recognizeFormat(text)
      return 'notRead' in recognized
        ? unusable(text, { message: recognized.notRead, offset: 0, code: 'format_not_read' })
        : readImport(text, recognized.format, baseUrl, constants, documentUrl, signIn)
    }
    case 'document':
      return parseDocument(text)
    case 'openapi':
    case 'swagger':
      return parseOpenApi(text, constants, documentUrl, signIn)
    case 'postman':
      return parsePostman(text, constants)
    case 'curl':
      return parseCurl(text, baseUrl, constants)
  }
}
