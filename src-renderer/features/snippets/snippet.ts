import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/** The languages of the dashboard's code, in the order of its tabs. `curl` is the shell, with openssl. */
export const languages = ['curl', 'node', 'python', 'php', 'go', 'ruby', 'java'] as const
export type Language = (typeof languages)[number]

/** What the tokenizer in `highlight.ts` knows how to colour. */
export type HighlightId = 'bash' | 'javascript' | 'python' | 'php' | 'go' | 'ruby' | 'java'

export type SendInput = {
  /** The connection's inbound URL. Any text: what is displayed has its token masked. */
  readonly url: string
  readonly eventName: string
  /** The JSON text of the event's `data`; an object, laid out in any way. */
  readonly data: string
  /** Written into the program, masked where it is displayed. Without it the program reads CC_SIGNING_SECRET. */
  readonly secret?: string
}

/**
 * A whole program for the reader to save and run, with nothing but the language's standard library; the shell's may
 * be pasted into a terminal as well. It reads the signing secret from the environment variable CC_SIGNING_SECRET,
 * unless it is rendered with one, and does nothing where that is unset or empty.
 */
export type Snippet<Input> = {
  readonly language: Language
  /** The name on its tab. */
  readonly label: string
  readonly highlight: HighlightId
  /** The file name to save it under; Java insists on it. */
  readonly file: string
  /** The command line that runs it, in the folder of the file. */
  readonly command: string
  /** The program's text, without a newline at its end. */
  render(input: Input): string
}

/** Mistakes in the sender's settings, or without a name. */
const notInCode = ['old_secret', 'other_connection', 'key_empty', 'unknown'] as const

/** Mistakes in the sender's code. */
type CodeMistake = Exclude<DiagnosisCode, (typeof notInCode)[number]>

export function isCodeMistake(code: DiagnosisCode): code is CodeMistake {
  return !notInCode.some(other => other === code)
}

/**
 * The wrong lines and the right ones, without their indentation. One of the two stands in the language's sender;
 * an empty text is no line at all.
 */
type Change = readonly [wrong: string, right: string]
export type Changes = Readonly<Record<CodeMistake, Change>>

/** The sender and the verifier of one language, and the fixes of its sender. */
export type LanguageSnippets = {
  readonly send: Snippet<SendInput>
  readonly verify: Snippet<void>
  readonly fixes: Changes
}
