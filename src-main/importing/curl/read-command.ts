import { type Command, forEachChild, parse, type SyntaxNode, type Word } from 'unbash'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { maxCurlBytes } from '../limits.ts'
import { withBashLines } from './line-ends.ts'
import { findAtStart } from './odd-characters.ts'
import { type CurlWord, oddIn, toWord } from './words.ts'

export type ReadCommand =
  | { readonly words: readonly CurlWord[]; readonly notes: readonly SyntaxProblem[] }
  | { readonly errors: readonly SyntaxProblem[] }

/** More than any command that a person or a browser writes. */
const maxWords = 2000
const maxHeredocs = 100
/** Opening braces with no white space or quote between them: the parser keeps a record of each. */
const maxBraces = 10_000
const endsRun = /[\s'"]/
/** Other commands that are reported. */
const maxNotes = 100
/** Errors that are reported. */
const maxErrors = 20

/** Finds the curl command in a pasted text. Returns the words after `curl`. Executes and expands nothing. */
export function readCommand(text: string): ReadCommand {
  if (Buffer.byteLength(text) > maxCurlBytes)
    return { errors: [note(`The curl command is larger than ${maxCurlBytes / 1024 / 1024} MiB.`, 0)] }
  const lines = withBashLines(text)
  if ('error' in lines) return { errors: [lines.error] }
  const plain = lines.text
  // The parser scans the rest of the text for the end of each here-document.
  const heredoc = offsetOfNth(plain, '<<', maxHeredocs)
  if (heredoc !== null)
    return { errors: [note(`The command has more than ${maxHeredocs} here-documents (<<).`, heredoc)] }
  const brace = offsetOfCrowdedBrace(plain)
  if (brace !== null)
    return { errors: [note(`A word has more than ${maxBraces} opening braces ({).`, brace)] }
  const script = parse(plain)
  const commands: Command[] = []
  collect(script, commands)
  const first = commands.findIndex(one => curlWords(one).length > 0)
  const [command, ...after] = first === -1 ? [] : commands.slice(first)
  const lost = lostLines(after)
  const words = command === undefined ? [] : [...curlWords(command), ...lost.flatMap(wordsOf)]
  const odd = words.slice(0, maxWords).flatMap(oddIn)
  const syntax = (script.errors ?? []).map(({ message, pos }) => errorAt(message, pos))
  if (syntax.length + odd.length > 0)
    return { errors: [...odd, ...syntax].toSorted(byOffset).slice(0, maxErrors) }
  if (command === undefined) return { errors: [noCommand(plain, commands)] }
  if (words.length > maxWords)
    return { errors: [note(`The command has more than ${maxWords} words.`, command.pos)] }
  const end = endOfUrl(plain, words)
  if (end !== null) return { errors: [end] }
  const others = [...commands.slice(0, first), ...after.slice(lost.length)]
  return {
    words: words.slice(1).map(word => toWord(word, lines.isCmd)),
    notes: [
      ...lost.map(({ pos }) => note(lostSentence, pos)),
      ...others
        .slice(0, maxNotes)
        .map(one =>
          note(
            `Only the ${curlWords(one).length > 0 ? 'first curl' : 'curl'} command is imported, not this one.`,
            one.pos,
          ),
        ),
    ],
  }
}

const lostSentence =
  'This line is imported as a part of the command. For a shell, add a backslash (\\) to the end of the line before it.'

/** Returns the commands that are lines of the command before them: a backslash or what stands for it is missing. */
function lostLines(after: readonly Command[]): Command[] {
  const end = after.findIndex(({ name }) => name === undefined || !isRestOfLine(name.text))
  return after.slice(0, end === -1 ? after.length : end)
}

const isRestOfLine = (name: string) => /^-.|^['"]?https?:\/\//i.test(name) || findAtStart(name).length > 0

function wordsOf({ name, suffix }: Command): Word[] {
  const words = suffix.filter(part => part.type === 'Word')
  return name === undefined ? words : [name, ...words]
}

/** Returns an error if the shell ends a word, such as a URL without quotes, where a person reads on. */
function endOfUrl(text: string, words: readonly Word[]): SyntaxProblem | null {
  for (const { end } of words) {
    const rest = text.slice(end, end + 100)
    if (/^(?:&[^\s&>]|;\w+=)/.test(rest))
      return note(`For the shell, the command ends at this ${rest.charAt(0)}. Put the URL in quotes.`, end)
    if (/^<[^<>\s]+>/.test(rest))
      return note('For the shell, this < reads a file. Put the URL in quotes.', end)
  }
  return null
}

const byOffset = (one: SyntaxProblem, other: SyntaxProblem) => one.offset - other.offset

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

function errorAt(message: string, offset: number): SyntaxProblem {
  return { message: `This is not a shell command: ${message}.`, offset }
}

/** Programs that run the command in their arguments here, unchanged. */
const prefixes = new Set([
  ...[
    'sudo',
    'doas',
    'time',
    'env',
    'nohup',
    'exec',
    'command',
    'builtin',
    'nice',
    'ionice',
    'timeout',
    'watch',
  ],
  ...['stdbuf', 'strace', 'torsocks', 'torify', 'proxychains', 'proxychains4', 'noglob', 'winpty', 'call'],
])

/** Returns the words of a command from curl on; none if it does not run curl. */
function curlWords(command: Command): Word[] {
  const words = wordsOf(command)
  const [name] = words
  if (command.name === undefined || name === undefined) return []
  if (isCurl(name)) return words
  // The last of them is a prompt.
  const isPrefix = prefixes.has(name.value.replace(/^.*\//, '')) || /^\[|[$%#❯➜]$/.test(name.value)
  const start = isPrefix ? words.findIndex(isCurl) : -1
  return start === -1 ? [] : words.slice(start)
}

/** Returns why there is no curl command in a text. */
function noCommand(text: string, commands: readonly Command[]): SyntaxProblem {
  for (const command of commands) {
    const curl = wordsOf(command).find(isCurl)
    if (curl === undefined) continue
    const name = command.name?.value.slice(0, maxShown)
    return note(`Here, curl is an argument of ${name}. Paste only the part that starts with curl.`, curl.pos)
  }
  const found = /(?<![\w.-])curl(?![\w-])/i.exec(text)
  if (found !== null)
    return note(`${hiddenSentence} Paste only the command that starts with curl.`, found.index)
  return note('There is no curl command in the text.', Math.max(text.search(/\S/), 0))
}

const maxShown = 40
const hiddenSentence = 'This curl is in quotes, in a comment or in a substitution such as $(…).'

const curlName = /(?:^|[\\/]|[^ -~])curl(?:\.exe)?(?:$|[^ -~])/i

function isCurl({ value, text }: Word): boolean {
  // Bash removes the backslashes of a Windows path.
  return curlName.test(value) || curlName.test(text)
}

/** Collects the commands of the script, but not those inside the words of another command. */
function collect(node: SyntaxNode, commands: Command[]): void {
  if (node.type === 'Command') commands.push(node)
  else if (node.type !== 'Word') forEachChild(node, child => collect(child, commands))
}
