import type { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { languageSnippets } from './languages.ts'
import { isCodeMistake, type Language } from './snippet.ts'

/** Lines of a sender, without their common indentation. */
export type Fix = {
  /** The unchanged lines before and after the change, at most one each. */
  readonly before: readonly string[]
  readonly removed: readonly string[]
  readonly added: readonly string[]
  readonly after: readonly string[]
}

/** An invented address and event: a fix must not show the connection's own. */
const sample = { url: 'https://connect.example/events', eventName: 'order.paid', data: '{…}' }

/**
 * Returns the lines of the language's sender that make a mistake, and the lines that correct it. They show the usual
 * case of a code; the diagnosis says what was found.
 *
 * @returns null for a mistake that is not in the code, such as another connection's secret, or an unknown one.
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

/** Finds these lines in a program, each indented by as much as the first. */
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
