import type { ImportFormat, ImportIssue } from '#shared/model/import-preview.ts'
import { parseCurl } from './curl/parse-curl.ts'
import { previewImport } from './imports.ts'
import { parseOpenApi } from './openapi/parse-openapi.ts'
import { type Parsed, parseDocument } from './parse.ts'
import { place } from './place.ts'
import { type ImportTarget, type Plan, type PlanConfig, planImport } from './plan.ts'
import { hasErrors } from './problem.ts'

/**
 * One import to be read and planned in the worker thread. Only that thread imports this file's values, so that a
 * service that imports nothing does not load the parsers of YAML and shell commands.
 */
export type ImportJob = {
  readonly kind: 'preview' | 'plan'
  readonly text: string
  readonly format: ImportFormat
  readonly target: ImportTarget
  /** Base URL of the target; null for a new connection, or one without. */
  readonly baseUrl: string | null
  /** As much of the configuration as planning looks at. */
  readonly config: PlanConfig
}

/** What an import would do, and what is to be said of its text. */
export type PlannedImport = {
  /** Null where the document has errors. */
  readonly plan: Pick<Plan, 'connection' | 'actions' | 'eventTypes' | 'skipped'> | null
  readonly issues: readonly ImportIssue[]
}

/**
 * Returns the preview or the plan of an import as JSON: the main thread reads that in half the time that a
 * structured clone takes it, and keys such as `__proto__` stay what they are. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`.
 */
export function runImportJob({ kind, text, format, target, baseUrl, config }: ImportJob): string {
  const parsed = readImport(text, format, baseUrl)
  if (kind === 'preview') return JSON.stringify(previewImport(config, parsed, target))
  const { connection, actions, eventTypes, skipped, problems } = planImport(config, parsed.content, target)
  const all = [...parsed.problems, ...problems]
  const planned: PlannedImport = {
    plan: hasErrors(all) ? null : { connection, actions, eventTypes, skipped },
    issues: place(parsed, all).issues,
  }
  return JSON.stringify(planned)
}

/**
 * Reads the text of an import in any of its formats. Never throws: what is wrong with it are problems. Pure.
 *
 * @param baseUrl of the connection that it goes to; null for a new one, or one without.
 */
export function readImport(text: string, format: ImportFormat, baseUrl: string | null): Parsed {
  switch (format) {
    case 'document':
      return parseDocument(text)
    case 'openapi':
      return parseOpenApi(text)
    case 'curl':
      return parseCurl(text, baseUrl)
  }
}
