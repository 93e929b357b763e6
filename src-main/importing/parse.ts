import { maxDepth } from '#shared/json/depth.ts'
import { diagnoseJson, type SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { isExact } from '#shared/json/exact-number.ts'
import { offsetBeyond } from '#shared/json/json-depth.ts'
import { type JsonPath, type Locate, locateInJson } from '#shared/json/locate.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import type { ConnectionAuth } from '#shared/model/connection-auth.ts'
import type { OfferedAuth } from '#shared/model/import-auth.ts'
import { importVersion, maxImportBytes } from '#shared/model/import-document.ts'
import type { OperationName } from '#shared/model/import-operation.ts'
import type { Recognized } from '#shared/model/import-preview.ts'
import { maxValues } from './limits.ts'
import type { PlaceholderHints, SourceOperation } from './operation.ts'
import { holdsSigningSecret, type Problem, ProblemList, problem, warning } from './problem.ts'
import { type ImportContent, validateDocument } from './validate-document.ts'

/** A part of the text that an import document cannot express. */
export type Omission = {
  readonly name: string
  /** The omitted part of an operation; missing if the whole operation is omitted. */
  readonly part?: string
  readonly reason: string
  readonly offset: number
  /** The action that it belongs to, if any. */
  readonly toolName?: string
  /** The operation that it belongs to. Missing if the text is a single operation. */
  readonly operation?: OperationName
}

/** A server of a document, and the connection that its operations make. */
export type ParsedServer = {
  /** Its base URL, or what the document says instead of one. */
  readonly url: string
  /** Null if it cannot be a base URL. */
  readonly baseUrl: string | null
  /** Whether it is a server of the whole document, of which one is taken. */
  readonly isAlternative: boolean
  /** Whether only paths and operations name it. */
  readonly isNamed: boolean
  /** Whether operations name it, or it is the base URL. If not, it is only offered. */
  readonly isNeeded: boolean
  readonly name: string
  /** The sign-in of a new connection; null for none. */
  readonly auth: ConnectionAuth | null
  readonly offset: number
}

/** A parsed text: its content and its problems. */
export type Parsed = {
  readonly text: string
  /** The operations of the text. Null for formats whose actions are the operations. */
  readonly operations: readonly SourceOperation[] | null
  /** The tags of each event type of the text; missing in formats without tags. */
  readonly eventTags?: readonly (readonly string[])[]
  /** The number of operations left out that are not listed. */
  readonly moreLeftOut?: number
  /** The hints of the text about the values of its placeholders. */
  readonly placeholderHints?: ReadonlyMap<string, PlaceholderHints>
  /** The security schemes that the connection can sign in with; missing in formats that keep sign-in in headers. */
  readonly auth?: readonly OfferedAuth[]
  /** The base URL, the others that operations need, and the alternatives; missing in formats without servers. */
  readonly servers?: readonly ParsedServer[]
  /** The recognized format and contents of the text; null if it is unreadable. */
  readonly recognized: Recognized | null
  /** Null if the text is unusable. */
  readonly content: ImportContent | null
  readonly problems: readonly Problem[]
  readonly omissions: readonly Omission[]
  /** Finds paths of the content in the text. */
  readonly locate: Locate
}

/** Parses an import document. Never throws: errors are problems. Pure. */
export function parseDocument(text: string): Parsed {
  const size = sizeProblem(text)
  if (size !== null) return unusable(text, size)
  const read = readJson(text, parseExact)
  if ('failed' in read) return read.failed
  const { content, problems } = validateDocument(read.value)
  return {
    text,
    operations: null,
    recognized: read.holdsSecret || content === null ? null : describe(content),
    // The preview would show a name that is a secret.
    content: read.holdsSecret ? null : content,
    problems: [...read.problems, ...problems],
    omissions: [],
    locate: locateInJson(text),
  }
}

function describe({ connection, actions, events }: ImportContent): Recognized {
  const { name = null, baseUrl = null } = connection === 'faulty' || connection === null ? {} : connection
  return {
    format: 'document',
    version: String(importVersion),
    title: name,
    documentVersion: null,
    operations: actions.length,
    webhooks: events.length,
    baseUrl,
    signIn: [],
  }
}

/** Returns the result for an unusable text. */
export function unusable(
  text: string,
  ...errors: readonly (SyntaxProblem & Pick<Problem, 'code'>)[]
): Parsed {
  const problems = errors.map(({ message, ...rest }) => ({ ...problem([], message), ...rest }))
  return {
    text,
    operations: null,
    recognized: null,
    content: null,
    problems,
    omissions: [],
    locate: wanted => wanted.map(() => 0),
  }
}

const mebibyte = 1024 * 1024

/** @param most bytes of UTF-8. */
export function sizeProblem(text: string, most = maxImportBytes): SyntaxProblem | null {
  // A UTF-16 unit takes at most three bytes, so only long texts need to be measured.
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return null
  const size = most < mebibyte ? `${most / 1024} KiB` : `${most / mebibyte} MiB`
  return { message: `The text is larger than ${size}.`, offset: 0 }
}

/** Parses strict JSON within the limits. @param parse an alternative to JSON.parse, for exact numbers. */
export function readJson(
  text: string,
  parse?: (text: string) => unknown,
  most = maxValues,
): { value: unknown; problems: readonly Problem[]; holdsSecret: boolean } | { failed: Parsed } {
  const tooMany = offsetBeyond(text, { levels: Number.POSITIVE_INFINITY, values: most })
  if (tooMany !== null) {
    const message = `The document has more than ${most} values. Split it and import its parts.`
    return { failed: unusable(text, { message, offset: tooMany }) }
  }
  const value = parseJson(text)
  if (value === undefined) return { failed: unusable(text, ...diagnoseJson(text)) }
  // Before the inspection: in a text that is nested so deep, each path would be as long as the text.
  const tooDeep = offsetBeyond(text, { levels: maxDepth, values: Number.POSITIVE_INFINITY })
  if (tooDeep !== null) {
    const message = `The document is nested deeper than ${maxDepth} levels.`
    return { failed: unusable(text, { message, offset: tooDeep }) }
  }
  // Before the second parse, because both take much memory.
  const inspected = inspectJson(text)
  return { value: parse === undefined ? value : parse(text), ...inspected }
}

/**
 * Finds problems that are only visible in the text of a valid JSON document: duplicate keys, signing secrets, and numbers
 * that JavaScript cannot represent. One pass, without recursion.
 */
export function inspectJson(text: string) {
  const problems = new ProblemList()
  const path: (string | number)[] = []
  /** The keys seen in each open object; null for an array. */
  const open: (Set<string> | null)[] = []
  let holdsSecret = false

  const at = (step: string | number | null): JsonPath => (step === null ? [...path] : [...path, step])
  walkJson(text, {
    key(name) {
      const keys = open.at(-1)
      if (holdsSigningSecret(name)) {
        holdsSecret = true
        problems.addOne('error', () => ({ ...problem(at(name), secretSentence), atKey: true }))
      } else if (keys?.has(name) === true)
        problems.addOne('warning', () => ({ ...warning(at(name), twice(name)), atKey: true }))
      keys?.add(name)
    },
    value(step, kind, _offset, source) {
      if (kind === 'string' && holdsSigningSecret(source)) {
        holdsSecret = true
        problems.addOne('error', () => problem(at(step), secretSentence))
      }
      if (kind === 'number' && !keepsNumbers(step) && !path.some(keepsNumbers)) {
        const found = numberProblem(source)
        if (found !== null) problems.addOne(found.severity, () => ({ path: at(step), ...found }))
      }
      if (kind !== 'object' && kind !== 'array') return
      open.push(kind === 'object' ? new Set() : null)
      if (step !== null) path.push(step)
    },
    leave() {
      open.pop()
      path.pop()
    },
  })
  return { problems: problems.all(), holdsSecret }
}

/** A sample payload and the values of cases keep their numbers as they are written. */
const keepsNumbers = (step: unknown) => step === 'samplePayload' || step === 'cases'

const twice = (name: string) => `The key ${JSON.stringify(name)} is repeated. The last one counts.`
const secretSentence =
  'This contains a signing secret (whsec_…). Remove it: the service generates secrets and never imports them.'

function numberProblem(source: string): Omit<Problem, 'path'> | null {
  // Numbers with at most fifteen digits are always exact.
  if (source.length <= 15 && !/[eE]/.test(source)) return null
  const value = Number(source)
  if (!Number.isFinite(value)) return { severity: 'error', message: 'This number is too large.' }
  if (isExact(source, value)) return null
  const message = `This number becomes ${value}. Write it as a string if every digit matters.`
  return { severity: 'warning', message }
}
