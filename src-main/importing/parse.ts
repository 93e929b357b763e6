import { offsetBeyond } from '#main/json/json-depth.ts'
import { diagnoseJson, type SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { isExact } from '#shared/json/exact-number.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import { maxDepth, maxValues } from './limits.ts'
import { type Locate, locateInJson } from './place.ts'
import { holdsSigningSecret, type JsonPath, type Problem, ProblemList, problem, warning } from './problem.ts'
import { type ImportContent, validateDocument } from './validate-document.ts'

/** Something that an import document cannot express, at an offset of the text. */
export type Omission = {
  readonly name: string
  /** The part of an operation alone; left out for a whole one. */
  readonly part?: string
  readonly reason: string
  readonly offset: number
  /** The action that it is a part of; left out where nothing is imported of it. */
  readonly toolName?: string
}

/** A text that was read as an import: what it holds, and what is to be said of it. */
export type Parsed = {
  readonly text: string
  /** Null where nothing can be made of the text. */
  readonly content: ImportContent | null
  readonly problems: readonly Problem[]
  readonly omissions: readonly Omission[]
  /** Where in the text the paths of the content are. */
  readonly locate: Locate
}

/** Reads the text of an import document. Never throws: what is wrong with it are problems. Pure. */
export function parseDocument(text: string): Parsed {
  const size = sizeProblem(text)
  if (size !== null) return unusable(text, size)
  const read = readJson(text, parseExact)
  if ('failed' in read) return read.failed
  const { content, problems } = validateDocument(read.value)
  return {
    text,
    // A name that is a secret would be shown by the preview.
    content: read.holdsSecret ? null : content,
    problems: [...read.problems, ...problems],
    omissions: [],
    locate: locateInJson(text),
  }
}

/** A text that nothing can be made of. */
export function unusable(text: string, ...faults: readonly SyntaxProblem[]): Parsed {
  const problems = faults.map(({ message, offset }) => ({ ...problem([], message), offset }))
  return { text, content: null, problems, omissions: [], locate: wanted => wanted.map(() => 0) }
}

export function sizeProblem(text: string): SyntaxProblem | null {
  // A UTF-16 unit takes at most three bytes: only long texts have to be measured.
  if (text.length * 3 <= maxImportBytes || Buffer.byteLength(text) <= maxImportBytes) return null
  return { message: `The text is larger than ${maxImportBytes / 1024 / 1024} MiB.`, offset: 0 }
}

/** Strict JSON, within the bounds of nesting. @param parse says what becomes of numbers. */
export function readJson(
  text: string,
  parse?: (text: string) => unknown,
): { value: unknown; problems: readonly Problem[]; holdsSecret: boolean } | { failed: Parsed } {
  const tooMany = offsetBeyond(text, { levels: Number.POSITIVE_INFINITY, values: maxValues })
  if (tooMany !== null) {
    const message = `The document has more than ${maxValues} values. Split it and import its parts.`
    return { failed: unusable(text, { message, offset: tooMany }) }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { failed: unusable(text, ...diagnoseJson(text)) }
  }
  // Before the text is inspected: each path down there would be as long as the text.
  const tooDeep = offsetBeyond(text, { levels: maxDepth, values: Number.POSITIVE_INFINITY })
  if (tooDeep !== null) {
    const message = `The document is nested deeper than ${maxDepth} levels.`
    return { failed: unusable(text, { message, offset: tooDeep }) }
  }
  // Inspected first: this takes much memory, and so does a second value.
  const inspected = inspectJson(text)
  return { value: parse === undefined ? value : parse(text), ...inspected }
}

type Inspected = {
  readonly problems: readonly Problem[]
  readonly holdsSecret: boolean
}

/**
 * Finds what only the text of a valid JSON document tells: keys that come twice, a
 * signing secret in any text, numbers that JavaScript cannot hold. One pass, and no stack to overflow.
 */
export function inspectJson(text: string): Inspected {
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
      // A sample payload keeps its numbers as they are written.
      if (kind === 'number' && step !== 'samplePayload' && !path.includes('samplePayload')) {
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

const twice = (name: string) => `The key ${JSON.stringify(name)} is there twice; the last one counts.`
const secretSentence =
  'This holds a signing secret (whsec_…). Take it out: secrets are made by the service and never imported.'

function numberProblem(source: string): Omit<Problem, 'path'> | null {
  // Fifteen digits always survive; so do the short numbers that nearly all are.
  if (source.length <= 15 && !/[eE]/.test(source)) return null
  const value = Number(source)
  if (!Number.isFinite(value)) return { severity: 'error', message: 'This number is too large to be kept.' }
  if (isExact(source, value)) return null
  const message = `This number is kept as ${value}; write it as a text if every digit counts.`
  return { severity: 'warning', message }
}
