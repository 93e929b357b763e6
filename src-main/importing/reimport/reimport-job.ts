import { ServiceError } from '#shared/errors.ts'
import { ImportComparison, type UpdateChoice } from '#shared/model/import-comparison.ts'
import type { RequestedFormat } from '#shared/model/import-preview.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import type { DocumentText } from '../document-text.ts'
import type { Parsed } from '../parse.ts'
import { place } from '../place.ts'
import { hasErrors, problem } from '../problem.ts'
import { partOf } from '../servers.ts'
import type { SignInMode } from '../sign-in.ts'
import { compareItems } from './compare.ts'
import { type Described, describeDifference } from './describe.ts'
import { documentItems, type Known, type Origin, sourceOf } from './items.ts'
import { planUpdate, type RecordUpdates } from './update.ts'

/** A comparison of a connection with a document, or the changes that taking some of it makes. */
export type ReimportJob = {
  readonly text: DocumentText
  readonly format: RequestedFormat
  readonly placeholders: Constants
  /** The address of the document; null if it is unknown. */
  readonly documentUrl?: string | null
  readonly signIn: SignInMode
  /** The server whose operations the connection has, and the base URL that was chosen; null for the default. */
  readonly server: string | null
  readonly base: string | null
  /** A `Known` as JSON, which costs the main thread less than a structured clone. */
  readonly known: string
} & (({ readonly kind: 'compare' } & Usage) | ({ readonly kind: 'update' } & Choice))

export type Choice = {
  readonly choice: UpdateChoice
  /** The hash of the document that was compared; null for any. */
  readonly hash: string | null
  /** ISO 8601. */
  readonly now: string
}

/** The use of what a connection has, for a comparison. */
export type Usage = {
  /** ISO 8601. */
  readonly updatedAt: string
  /** When actions were called last, by their ids. */
  readonly calledAt: ReadonlyMap<string, string>
  /** The names of the workflows that call an action, by its tool name. */
  readonly workflows: ReadonlyMap<string, readonly string[]>
}

export type PlannedUpdate = RecordUpdates & {
  readonly source: Origin['source']
}

/**
 * Returns the comparison or the `PlannedUpdate` of a document as JSON. Pure.
 *
 * @throws ServiceError `invalid_document` with all issues; `changed_meanwhile` for another document than was compared;
 *   `invalid_input` for a choice that does not fit.
 */
export function runReimportJob(job: ReimportJob, given: Parsed): string {
  const known: Known = JSON.parse(job.known)
  const parsed = partOf(given, job.server)
  const entries = documentItems(parsed)
  const difference = compareItems(known, entries)
  const { recognized } = parsed
  const problems = [
    ...parsed.problems,
    ...(recognized?.format === 'curl'
      ? [problem([], oneCommand)]
      : difference.isOtherDocument
        ? [problem([], otherDocument)]
        : []),
  ]
  if (hasErrors(problems) || recognized === null)
    throw new ServiceError('invalid_document', { data: { issues: place(parsed, problems).issues } })
  const { format, documentVersion } = recognized
  const source = sourceOf(parsed, format, job.placeholders, entries)
  const { hash } = source
  if (job.kind === 'compare') {
    const { updatedAt } = job
    const described = withUsage(describeDifference(difference), job)
    const compared: ImportComparison = { hash, format, documentVersion, updatedAt, ...described }
    return JSON.stringify(ImportComparison.parse(compared))
  }
  if (job.hash !== null && job.hash !== hash)
    throw new ServiceError('changed_meanwhile', { detail: otherText })
  const toolNames = known.actions.map(({ toolName }) => toolName)
  const planned: PlannedUpdate = {
    ...planUpdate(difference, job.choice, toolNames, job.now),
    source,
  }
  return JSON.stringify(planned)
}

function withUsage(described: Described, { calledAt, workflows }: Usage): Described {
  const usersOf = (toolName: string) => [...(workflows.get(toolName) ?? [])]
  return {
    ...described,
    changed: described.changed.map(one => ({
      ...one,
      workflows: one.kind === 'action' ? usersOf(one.name) : [],
    })),
    removed: described.removed.map(one => ({
      ...one,
      lastCalledAt: calledAt.get(one.id) ?? null,
      workflows: usersOf(one.name),
    })),
  }
}

const oneCommand = 'A curl command is one action, not a document to compare with. Import it instead.'
const otherDocument =
  'This is another document: it has none of the operations that were imported. Import it into a new connection instead.'
const otherText = 'The document was changed after you compared it. Nothing was changed. Compare again.'
