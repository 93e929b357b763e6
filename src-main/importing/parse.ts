import { diagnoseJson, type SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import { inspectJson, maxDepth } from './inspect-json.ts'
import { findTooManyValues, maxValues } from './limits.ts'
import { type Locate, locateInJson } from './locate.ts'
import { type Problem, problem } from './problem.ts'
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
  const tooMany = findTooManyValues(text)
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
  const { problems, tooDeepAt, holdsSecret } = inspectJson(text)
  if (tooDeepAt === null) return { value: parse === undefined ? value : parse(text), problems, holdsSecret }
  const message = `The document is nested deeper than ${maxDepth} levels.`
  return { failed: unusable(text, { message, offset: tooDeepAt }) }
}
