import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'

/** Returns a text with LF line ends and without a byte order mark. Lines and columns stay the same. */
export function withLineFeeds(text: string): string {
  return text.replace(/^\ufeff/, ' ').replace(/\r\n?/g, '\n')
}

/**
 * Returns a pasted command in which each line is continued as in Bash, whose characters keep their offsets: without
 * prompts and markdown, without spaces after a backslash, and with a backslash instead of the ^ of the Windows command
 * prompt and the ` of PowerShell. Returns an error if the text is for another shell, whose quotes have another meaning.
 */
export function withBashLines(
  text: string,
): { readonly text: string; readonly isCmd: boolean } | { readonly error: SyntaxProblem } {
  const plain = withoutDecoration(text)
  const foreign = otherShell(plain)
  if (foreign !== null) return { error: foreign }
  const continued = hasPowerShellLines(plain) ? plain.replace(backtickEnd, '\\$1') : plain
  return {
    isCmd: continued.search(caretEnd) !== -1,
    text: continued
      .replace(caretEnd, '\\$1')
      .replace(/(?<!\\)((?:\\\\)*)\\([ \t]+)(?=\n|$)/g, '$1$2\\')
      // The shell also shows a prompt on each further line.
      .replace(/(?<=\\\n)[ \t]*(?:>{1,2}|More\?)[ \t]*(?=-|https?:\/\/)/g, blanks)
      // Nothing follows the last line.
      .replace(/(?<!\\)((?:\\\\)*)\\$/, '$1 '),
  }
}

const caretEnd = /\^([ \t]*)(?=\n|$)/g
const backtickEnd = /`([ \t]*)(?=\n|$)/g

/** In Bash, backquotes are pairs, and one at the end of a line closes a substitution. */
function hasPowerShellLines(text: string): boolean {
  return countOf(text, /`/g) === countOf(text, backtickEnd)
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0
  for (const _found of text.matchAll(pattern)) count++
  return count
}

function otherShell(text: string): SyntaxProblem | null {
  const cmd = /(?<!\S)\^"/.exec(text)
  if (cmd !== null) {
    const message = 'This command is for the Windows command prompt (^). Copy it as cURL for Bash.'
    return { message, offset: cmd.index }
  }
  const powerShell =
    /^\s*(?:Invoke-WebRequest|Invoke-RestMethod|\$session\b)/i.exec(text) ??
    (hasPowerShellLines(text) ? null : /(?<=\s)`[ \t]*(?=\n)/.exec(text))
  if (powerShell === null) return null
  return { message: 'This command is for PowerShell. Copy it as cURL for Bash.', offset: powerShell.index }
}

/** Replaces prompts, markdown fences and the backquotes around a whole text by spaces. */
function withoutDecoration(text: string): string {
  return text
    .replace(/^[ \t]*```.*$/gm, blanks)
    .replace(/^\s*`(?=[^`]*`\s*$)/, blanks)
    .replace(/^\s*#\s+(?=curl\b)/, blanks)
    .replace(/^[ \t]*[$%>❯][ \t]+(?=curl\b)/gm, blanks)
    .replace(/^[ \t]*(?:PS )?[A-Z]:\\[^>\n]*>[ \t]*(?=curl\b)/gim, blanks)
}

const blanks = (found: string) => found.replace(/\S/g, ' ')
