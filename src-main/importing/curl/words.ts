import type { Word, WordPart } from 'unbash'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { findAtStart, findUnquoted } from './odd-characters.ts'

/** A word of a command line, with the quotes removed. */
export type CurlWord = {
  /** Its text, with expansions unchanged: `$ID`. */
  readonly text: string
  /** The same with `{{ID}}` for each variable. */
  readonly filled: string
  readonly hasVariables: boolean
  /** An expansion that is not a plain variable, such as `$(date)`; null if there is none. */
  readonly otherExpansion: string | null
  readonly offset: number
  /** Its text in the command, with quotes and escapes. */
  readonly source: string
  readonly origin: Origin
}

/** Where the characters of a word are in the command. */
type Origin = {
  /** The characters of the word before its text, if it is the rest of a word. */
  readonly skipped: number
  readonly runs: readonly Run[]
}
/** Characters of a word from `at` on that are in the command in the same order. */
type Run = { readonly at: number; readonly offset: number }

/** Returns the offset in the command of a character of a word's text. */
export function offsetIn({ origin, offset }: CurlWord, index: number): number {
  const at = origin.skipped + index
  const run = origin.runs.findLast(one => one.at <= at)
  return run === undefined ? offset : run.offset + at - run.at
}

/** Returns the rest of a word from an index of its text on, and from one of its filled text. */
export function restOf(word: CurlWord, index: number, filledIndex: number): CurlWord {
  const { text, filled, origin } = word
  return {
    ...word,
    text: text.slice(index),
    filled: filled.slice(filledIndex),
    origin: { ...origin, skipped: origin.skipped + index },
  }
}

/** Returns a word of the parser without its quotes. @param isCmd whether `%NAME%` is a variable. */
export function toWord(word: Word, isCmd = false): CurlWord {
  const made = { text: '', filled: '', hasVariables: false, other: null as string | null }
  const runs: Run[] = []
  add(partsOf(word))
  const { text, hasVariables, other } = made
  const filled = isCmd ? withCmdVariables(made.filled) : made.filled
  return {
    text,
    // PowerShell writes $env:NAME.
    filled: filled.replace(/\{\{env\}\}:([A-Za-z_]\w*)/gi, '{{$1}}'),
    hasVariables: hasVariables || filled !== made.filled,
    otherExpansion: other,
    offset: word.pos,
    source: word.text,
    origin: { skipped: 0, runs },
  }

  function add(parts: readonly WordPart[], isQuoted = false): void {
    for (const part of parts) {
      const variable = variableOf(part)
      if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
        add(part.parts, true)
        continue
      }
      runs.push({ at: made.text.length, offset: part.pos + (quoteLengths[part.type] ?? 0) })
      if (variable !== null) {
        made.text += part.text
        made.filled += `{{${variable}}}`
        made.hasVariables = true
      } else if (isExpansion(part)) {
        made.text += part.text
        made.filled += part.text
        made.other ??= part.text
      } else {
        const value = 'value' in part && typeof part.value === 'string' ? part.value : part.text
        if (part.type === 'Literal' && value.length < part.text.length) addRuns(part.text, part.pos, isQuoted)
        made.text += value
        made.filled += value
      }
    }
  }

  /** Adds a run for the text after each backslash that escapes a character. */
  function addRuns(source: string, offset: number, isQuoted: boolean): void {
    const escaped = isQuoted ? /\\([$`"\\\n])/g : /\\(.)/gs
    let lost = 0
    for (const { index, 1: character } of source.matchAll(escaped)) {
      const kept = character === '\n' ? 2 : 1
      runs.push({ at: made.text.length + index - lost, offset: offset + index + kept })
      lost += kept
    }
  }
}

/** Returns the problems of characters outside the quotes of a word. */
export function oddIn(word: Word): SyntaxProblem[] {
  const problems = findAtStart(word.text).map(one => shifted(one, word.pos))
  for (const part of partsOf(word))
    if (part.type === 'Literal' || part.type === 'Glob' || part.type === 'BraceExpansion')
      for (const one of findUnquoted(part.text)) problems.push(shifted(one, part.pos))
  return problems
}

const shifted = ({ message, offset }: SyntaxProblem, by: number) => ({ message, offset: offset + by })

function partsOf(word: Word): readonly WordPart[] {
  const { value, text, pos, end } = word
  return word.parts ?? [{ type: 'Literal', value, text, pos, end }]
}

/** The characters before the value of a part. */
const quoteLengths: Readonly<Record<string, number>> = { SingleQuoted: 1, AnsiCQuoted: 2 }

/** Replaces the variables of the Windows command prompt, unless each % is a part of a URL encoding. */
function withCmdVariables(text: string): string {
  return /%(?![\da-f]{2})/i.test(text) ? text.replace(/%([A-Za-z_]\w*)%/g, '{{$1}}') : text
}

/** Returns the name in `$NAME` or `${NAME}`; null for anything else. */
function variableOf({ text }: WordPart): string | null {
  const found = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text)
  return found?.[1] ?? found?.[2] ?? null
}

function isExpansion({ type }: WordPart): boolean {
  return /Expansion$|^ProcessSubstitution$/.test(type) && type !== 'BraceExpansion'
}
