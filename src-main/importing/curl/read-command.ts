import { type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { maxCurlBytes } from '../limits.ts'

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
}

export type ReadCommand =
  | { readonly words: readonly CurlWord[]; readonly notes: readonly SyntaxProblem[] }
  | { readonly faults: readonly SyntaxProblem[] }

/** More than any command that a person or a browser writes. */
const maxWords = 2000
const maxHeredocs = 100
/** Opening braces with no white space or quote between them: the parser keeps a record of each. */
const maxBraces = 10_000
const endsRun = /[\s'"]/
/** Other commands that are reported, of each kind. */
const maxNotes = 100

/** Finds the curl command in a pasted text. Returns the words after `curl`. Executes and expands nothing. */
export function readCommand(text: string): ReadCommand {
  if (Buffer.byteLength(text) > maxCurlBytes)
    return { faults: [note(`The curl command is larger than ${maxCurlBytes / 1024 / 1024} MiB.`, 0)] }
  const plain = withoutDecoration(text)
  const foreign = otherShell(plain)
  if (foreign !== null) return { faults: [foreign] }
  // The parser scans the rest of the text for the end of each here-document.
  const heredoc = offsetOfNth(plain, '<<', maxHeredocs)
  if (heredoc !== null)
    return { faults: [note(`The command has more than ${maxHeredocs} here-documents (<<).`, heredoc)] }
  const brace = offsetOfCrowdedBrace(plain)
  if (brace !== null)
    return { faults: [note(`A word has more than ${maxBraces} opening braces ({).`, brace)] }
  const script = parse(plain)
  if (script.errors !== undefined && script.errors.length > 0)
    return { faults: script.errors.slice(0, 20).map(({ message, pos }) => fault(message, pos)) }
  const commands: Command[] = []
  collect(script, commands)
  const [command, ...others] = commands.filter(isCurl)
  if (command === undefined)
    return { faults: [{ message: 'There is no curl command in the text.', offset: firstOffset(text) }] }
  if (command.suffix.length > maxWords)
    return { faults: [note(`The command has more than ${maxWords} words.`, command.pos)] }
  const ignored = commands.filter(one => !isCurl(one))
  return {
    words: command.suffix.filter(part => part.type === 'Word').map(toWord),
    notes: [
      ...others
        .slice(0, maxNotes)
        .map(({ pos }) => note('Only the first curl command is imported, not this one.', pos)),
      ...ignored
        .slice(0, maxNotes)
        .map(({ pos }) => note('Only the curl command is imported, not this one.', pos)),
    ],
  }
}

/** Returns the offset of the occurrence after the first `count`; null if there is none. */
function offsetOfNth(text: string, wanted: string, count: number): number | null {
  let at = -1
  for (let found = 0; found <= count; found++) {
    at = text.indexOf(wanted, at + 1)
    if (at === -1) return null
  }
  return at
}

/** Returns the offset of the opening brace after the first `maxBraces` of a run; null if there is none. */
function offsetOfCrowdedBrace(text: string): number | null {
  let braces = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '{') braces++
    else if (endsRun.test(character)) braces = 0
    if (braces > maxBraces) return at
  }
  return null
}

const note = (message: string, offset: number): SyntaxProblem => ({ message, offset })

function fault(message: string, offset: number): SyntaxProblem {
  return { message: `This is not a shell command: ${message}.`, offset }
}

function firstOffset(text: string): number {
  return Math.max(text.search(/\S/), 0)
}

/** Returns a fault if the command is for another shell, whose quotes have another meaning in Bash. */
function otherShell(text: string): SyntaxProblem | null {
  const cmd = /\^\s*\r?\n|\^"/.exec(text)
  if (cmd !== null)
    return note('This command is for the Windows command prompt (^). Copy it as cURL for Bash.', cmd.index)
  const powerShell = /^\s*(?:Invoke-WebRequest|Invoke-RestMethod|\$session\b)|`\r?\n/i.exec(text)
  if (powerShell !== null)
    return note('This command is for PowerShell. Copy it as cURL for Bash.', powerShell.index)
  return null
}

/** Replaces a prompt or a markdown fence by spaces, so that offsets do not change. */
function withoutDecoration(text: string): string {
  return text
    .replace(/^[ \t]*```.*$/gm, found => ' '.repeat(found.length))
    .replace(/^\s*[$%>#]\s+(?=curl\b)/, found => found.replace(/\S/g, ' '))
}

function isCurl({ name }: Command): boolean {
  return name !== undefined && /(?:^|[\\/])curl(?:\.exe)?$/i.test(name.value)
}

/** Collects the commands of the script, but not those inside the words of another command. */
function collect(node: SyntaxNode, commands: Command[]): void {
  if (node.type === 'Command') commands.push(node)
  else if (node.type !== 'Word') forEachChild(node, child => collect(child, commands))
}

function toWord(word: Word): CurlWord {
  const made = { text: '', filled: '', hasVariables: false, other: null as string | null }
  add(word.parts ?? [{ type: 'Literal', value: word.value, text: word.text, pos: word.pos, end: word.end }])
  return {
    text: made.text,
    filled: made.filled,
    hasVariables: made.hasVariables,
    otherExpansion: made.other,
    offset: word.pos,
  }

  function add(parts: readonly WordPart[]): void {
    for (const part of parts) {
      const variable = variableOf(part)
      if (variable !== null) {
        made.text += part.text
        made.filled += `{{${variable}}}`
        made.hasVariables = true
      } else if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') add(part.parts)
      else if (isExpansion(part)) {
        made.text += part.text
        made.filled += part.text
        made.other ??= part.text
      } else {
        const value = 'value' in part && typeof part.value === 'string' ? part.value : part.text
        made.text += value
        made.filled += value
      }
    }
  }
}

/** Returns the name in `$NAME` or `${NAME}`; null for anything else. */
function variableOf({ text }: WordPart): string | null {
  const found = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text)
  return found?.[1] ?? found?.[2] ?? null
}

function isExpansion({ type }: WordPart): boolean {
  return /Expansion$|^ProcessSubstitution$/.test(type) && type !== 'BraceExpansion'
}
