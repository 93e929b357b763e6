import { z } from 'zod'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'
import type { HighlightId } from '../../ui/grammars.ts'

/** The languages of the dashboard's code, in the order of its tabs. `curl` is the shell, with openssl. */
export const languages = ['curl', 'node', 'python', 'php', 'go', 'ruby', 'java'] as const
export const Language = z.enum(languages)
export type Language = z.infer<typeof Language>

export type SendInput = {
  /** The connection's inbound URL, or any text: the displayed one has a masked token. */
  readonly url: string
  readonly eventName: string
  /** The event's `data` as JSON text, formatted in any way. */
  readonly data: string
  /** Written into the program, masked when displayed. Without it the program reads CC_SIGNING_SECRET. */
  readonly secret?: string
}

/**
 * A program to save and run that needs only the language's standard library; the shell's can also be pasted into a
 * terminal. It reads the signing secret from the environment variable CC_SIGNING_SECRET, unless it is rendered with
 * one, and does nothing if that is unset or empty.
 */
export type Snippet<Input> = {
  readonly label: string
  readonly highlight: HighlightId
  /** The file name to save it under, which Java requires. */
  readonly file: string
  /** The command line that runs it, in the folder of the file. */
  readonly command: string
  /** Returns the program without a final newline. */
  render(input: Input): string
}

/** Mistakes in the sender's settings, and unknown ones. */
const notInCode = [
  'old_secret',
  'other_connection',
  'connection_secret',
  'key_empty',
  'no_secret',
  'unknown',
  // Mistakes in other schemes, for which there are no samples.
  'timestamp_in_milliseconds',
  'other_signed_text',
  'other_prefix',
  'digest_hex',
  'other_algorithm',
  'key_not_decoded',
  'other_scheme',
  'other_header',
  // Of questions, which no sample asks.
  'other_verify_token',
  'other_handshake',
] as const

/** Mistakes in the sender's code. */
type CodeMistake = Exclude<DiagnosisCode, (typeof notInCode)[number]>

export function isCodeMistake(code: DiagnosisCode): code is CodeMistake {
  return !notInCode.some(other => other === code)
}

/**
 * The wrong lines and the right ones, without indentation. The language's sender contains one of the two. An empty
 * text stands for no lines.
 */
type Change = readonly [wrong: string, right: string]
export type Changes = Readonly<Record<CodeMistake, Change>>

/** The sender and the verifier of one language, and the fixes of its sender. */
export type LanguageSnippets = {
  /** Posts one signed event to an inbound URL and prints the response. */
  readonly send: Snippet<SendInput>
  /**
   * Verifies the calls of actions: a function `verify` and a small server on 127.0.0.1 that prints its port and answers
   * 401 or 200. The port is in the environment variable PORT, or in PHP's command. The shell's program verifies one call
   * and exits with 0 or 1.
   */
  readonly verify: Snippet<void>
  readonly fixes: Changes
}
