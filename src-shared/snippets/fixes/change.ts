import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/** Mistakes that lie in the sender's code; the others lie in its settings, or cannot be named. */
export type CodeMistake = Exclude<DiagnosisCode, 'old_secret' | 'other_connection' | 'unknown'>

/**
 * The wrong lines and the right ones, without their indentation. One of the two stands in the language's sender;
 * an empty text is no line at all.
 */
export type Change = readonly [wrong: string, right: string]
export type Changes = Readonly<Record<CodeMistake, Change>>
