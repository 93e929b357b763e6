import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import type { ImportAuth } from '#shared/model/import-auth.ts'
import type { ImportChoice } from '#shared/model/import-operation.ts'
import { type ImportIssue, ImportPreview, type RequestedFormat } from '#shared/model/import-preview.ts'
import { serverKey, wantedServers } from '#shared/model/import-server.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import type { PlanToApply } from './apply.ts'
import { parseCurl } from './curl/parse-curl.ts'
import { type DocumentText, textOf } from './document-text.ts'
import { previewImport } from './imports.ts'
import { parseOpenApi } from './openapi/parse-openapi.ts'
import { chooseOperations, unusedConstants } from './operations.ts'
import { type Parsed, parseDocument, sizeProblem, unusable } from './parse.ts'
import { place } from './place.ts'
import { planAll } from './plan-all.ts'
import type { ImportTarget, PlanConfig } from './plan-connection.ts'
import { parsePostman } from './postman/parse-postman.ts'
import { hasErrors } from './problem.ts'
import { recognizeFormat } from './recognize.ts'
import { type OwnServer, originOf } from './reimport/items.ts'
import { type ReimportJob, runReimportJob } from './reimport/reimport-job.ts'
import { type ChosenServer, partOf } from './servers.ts'
import { type SignInFor, signInFor, signInOfNew, unknownScheme } from './sign-in.ts'

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
  /** The scheme of the document that calls sign in with; null for none, missing for the default. */
  readonly auth?: ImportAuth | null | undefined
  readonly config: PlanConfig
  /** Where each variable is set; one that is not set is missing. */
  readonly variables: SetVariables
}

/** Where variables are set, by their names. */
export type SetVariables = ReadonlyMap<string, EnvironmentVariable['sources']>

/** The plans of an import, one for each connection, and its issues. */
export type PlannedImport = {
  /** Null if the document has errors. A curl command has no origin: it is not a document that could be imported again. */
  readonly plans: readonly PlanToApply[] | null
  readonly issues: readonly ImportIssue[]
}

/**
 * Returns the result of a job as JSON. Parsing it takes half as long as a structured clone, and keeps
 * keys such as `__proto__`. A preview and a comparison are sent to the client as they are, so they are checked here. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`, `invalid_input`.
 */
export function runImportJob(job: ImportJob): string {
  if (job.kind === 'compare' || job.kind === 'update') {
    const { text, format, placeholders, documentUrl, signIn, base } = job
    const wanted = wantedServers(base === null ? {} : { [base]: true })
    return runReimportJob(
      job,
      readImport(textOf(text), format, null, placeholders, documentUrl, () => signIn, wanted),
    )
  }
  const { kind, text, format, target, baseUrl, documentUrl, config, placeholders, variables, auth } = job
  const wanted = wantedServers(target.servers ?? {})
  const read = readImport(textOf(text), format, baseUrl, placeholders, documentUrl, signInOf(job), wanted)
  const asked = [...unusedConstants(read, placeholders), ...unknownScheme(read, auth)]
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
  const { parsed: taken, plans } = planAll(config, parsed, target)
  const all = [...taken.problems, ...plans.flatMap(({ plan }) => plan.problems)]
  const planned: PlannedImport = {
    plans: hasErrors(all)
      ? null
      : plans.map(({ plan, server }) => {
          const { connection, actions, eventTypes, skipped } = plan
          const own = ownServer(read, server, wanted)
          return {
            plan: { connection, actions, eventTypes, skipped },
            origin:
              recognized === null || recognized.format === 'curl'
                ? null
                : originOf(partOf(read, own.server ?? null), recognized, placeholders, plan, own),
          }
        }),
    issues: place(taken, all).issues.filter(isOpen),
  }
  return JSON.stringify(planned)
}

/** Returns how each connection of an import signs in. */
function signInOf({ auth, target, config }: PlanJob): SignInFor {
  const ids = new Map(Object.entries(target.servers ?? {}).map(([url, into]) => [serverKey(url), into]))
  return signInFor(auth, (url, isBase) => {
    const into = ids.get(serverKey(url))
    const connectionId = typeof into === 'string' ? into : isBase ? target.connectionId : null
    return connectionId === null ? null : (config.connections.get(connectionId) ?? null)
  })
}

/** Returns which server of a document a connection is for, if the document has several. */
function ownServer(
  { servers = [] }: Parsed,
  server: ChosenServer | null,
  wanted: ReadonlySet<string>,
): OwnServer {
  const needed = servers.filter(({ isNeeded }) => isNeeded)
  const [base] = needed
  if (server === null || base === undefined || needed.length < 2) return {}
  const isChosen = base.isAlternative && wanted.has(serverKey(base.url))
  return { ...(server.isNamed && { server: server.url }), ...(isChosen && { base: base.url }) }
}

/**
 * Parses an import in any format. Never throws: errors are problems. Pure.
 *
 * @param baseUrl of the connection that it goes to; null for a new one, or one without.
 * @param constants replace placeholders of paths.
 * @param documentUrl the address of the document, which its relative servers refer to; null if it is unknown.
 * @param signIn how the calls of an OpenAPI or Swagger document sign in, by default with the first scheme of it.
 * @param wanted keys of servers of the document that the import asks for.
 */
export function readImport(
  text: string,
  format: RequestedFormat,
  baseUrl: string | null,
  constants: Constants = {},
  documentUrl: string | null = null,
  signIn: SignInFor = signInOfNew,
  wanted: ReadonlySet<string> = new Set(),
): Parsed {
  switch (format) {
    case 'auto': {
      const size = sizeProblem(text)
      if (size !== null) return unusable(text, size)
      const recognized = recognizeFormat(text)
      return 'notRead' in recognized
        ? unusable(text, { message: recognized.notRead, offset: 0, code: 'format_not_read' })
        : readImport(text, recognized.format, baseUrl, constants, documentUrl, signIn, wanted)
    }
    case 'document':
      return parseDocument(text)
    case 'openapi':
    case 'swagger':
      return parseOpenApi(text, constants, documentUrl, signIn, wanted)
    case 'postman':
      return parsePostman(text, constants)
    case 'curl':
      return parseCurl(text, baseUrl, constants)
  }
}
