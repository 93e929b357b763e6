import type { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { languageSnippets } from './languages.ts'
import { isCodeMistake, type Language } from './snippet.ts'

/** Lines of a sender, without the indentation that they have in common. */
export type Fix = {
  /** What stays in front of the change and behind it; at most a line each. */
  readonly before: readonly string[]
  readonly removed: readonly string[]
  readonly added: readonly string[]
  readonly after: readonly string[]
}

/** Nobody's address and event: a fix shows how, not whose. */
const sample = { url: 'https://connect.example/events', eventName: 'order.paid', data: '{…}' }

/**
 * How the language's sender makes a mistake, and the lines that make it right. One code covers senders that
 * differ (decisions: diagnosis): the lines are the usual case, the diagnosis' message says what was found.
 * Null for mistakes in no line of code: another connection's secret, a replaced or an empty one, an unknown cause.
 */
export function fixFor(code: DiagnosisCode, language: Language): Fix | null {
  if (!isCodeMistake(code)) return null
  const [wrong, right] = languageSnippets[language].fixes[code].map(linesOf)
  if (wrong === undefined || right === undefined) return null
  const program = languageSnippets[language].send.render(sample).split('\n')
  const place = findLines(right, program) ?? findLines(wrong, program)
  if (place === null) return null
  const { at, length } = place
  const indent = /^\s*/.exec(program[at] ?? '')?.[0] ?? ''
  const indented = (lines: readonly string[]) => lines.map(line => indent + line)
  return outdented({
    before: program.slice(Math.max(0, at - 1), at).filter(line => line !== ''),
    removed: indented(wrong),
    added: indented(right),
    after: program.slice(at + length, at + length + 1).filter(line => line !== ''),
  })
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

/** Where these lines stand, all of them indented by as much as the first. */
function findLines(
  lines: readonly string[],
  program: readonly string[],
): { at: number; length: number } | null {
  if (lines.length === 0) return null
  const at = program.findIndex((first, start) => {
    const indent = first.slice(0, first.length - first.trimStart().length)
    return lines.every((line, index) => program[start + index] === indent + line)
  })
  return at === -1 ? null : { at, length: lines.length }
}

function outdented({ before, removed, added, after }: Fix): Fix {
  const depths = [before, removed, added, after].flat().map(line => line.length - line.trimStart().length)
  const cut = (lines: readonly string[]) => lines.map(line => line.slice(Math.min(...depths)))
  return { before: cut(before), removed: cut(removed), added: cut(added), after: cut(after) }
}
