import { readJson, sizeProblem, unusable } from '#main/importing/parse.ts'
import { place } from '#main/importing/place.ts'
import { type Problem, warning, zodProblems } from '#main/importing/problem.ts'
import type { AgentRecord, UnknownField } from '#main/storage/config.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { locateInJson } from '#shared/json/locate.ts'
import { importVersion } from '#shared/model/import-document.ts'
import type { ImportIssue } from '#shared/model/import-preview.ts'
import { AgentDocument, type SomeShapes } from '#shared/model/platform/agent.ts'
import { unknownFields } from '#shared/unknown-fields.ts'
import { droppedFields, withFields } from './unknown-fields.ts'

/** Returns the shapes of an agent that were saved as one document, with the unknown fields of its import. */
export function exportAgent({ agentId, shapes, unknown }: ExportedAgent): Record<string, unknown> {
  const document = withFields({ version: importVersion, agentId, ...shapes }, unknown)
  return isObject(document) ? document : {}
}
type ExportedAgent = Pick<AgentRecord, 'agentId' | 'shapes' | 'unknown'>

/** Bytes of a text. It is read on the main thread; an agent of 1 MiB fits even if the text is indented. */
const maxBytes = 3 * 1024 * 1024
/** Each is stored with its path. */
const maxUnknown = 1000

/** A document that was read. */
export type ReadAgent = {
  /** Null if the document names no agent. */
  readonly agentId: string | null
  readonly shapes: SomeShapes
  readonly unknown: readonly UnknownField[]
}

/** Reads a document of an agent. `agent` is null if an issue is an error; an unknown field is a warning. Pure. */
export function readAgent(text: string): { agent: ReadAgent | null; issues: readonly ImportIssue[] } {
  const size = sizeProblem(text, maxBytes)
  const read = size === null ? readJson(text) : { failed: unusable(text, size) }
  if ('failed' in read) return { agent: null, issues: place(read.failed, read.failed.problems).issues }
  const parsed = AgentDocument.safeParse(read.value)
  const problems = parsed.success ? [] : zodProblems(parsed.error, [])
  const { version: _version, agentId = null, ...shapes } = parsed.data ?? { version: importVersion }
  const unknown = parsed.success ? droppedFields(read.value, parsed.data) : []
  if (unknown.length > maxUnknown) problems.push(tooMany)
  const { issues } = place({ text, locate: locateInJson(text), omissions: [] }, [
    ...read.problems,
    // Naming the nearest known field takes a while.
    ...(unknown.length > maxUnknown ? [] : warningsOf(read.value, unknown)),
    ...problems,
  ])
  const isUsable = issues.every(({ severity }) => severity === 'warning')
  return { agent: isUsable ? { agentId, shapes, unknown } : null, issues }
}

const tooMany: Problem = {
  path: [],
  message: `The document has more than ${maxUnknown} unknown fields.`,
  severity: 'error',
}

/** Returns a warning for each field that is kept as it is; it names the most similar known field. */
function warningsOf(value: unknown, unknown: readonly UnknownField[]): Problem[] {
  const sentences = new Map(unknownFields(AgentDocument, value).map(({ path, message }) => [path, message]))
  return unknown.map(({ path }) => {
    const message = sentences.get(path.join('.')) ?? 'This field is not known here.'
    return { ...warning(path, `${message} It is kept and exported again.`), atKey: true }
  })
}
