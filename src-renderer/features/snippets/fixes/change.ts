import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

/** Mistakes in the sender's settings, or without a name. */
export const notInCode = ['old_secret', 'other_connection', 'key_empty', 'unknown'] as const

/** Mistakes in the sender's code. */
export type CodeMistake = Exclude<DiagnosisCode, (typeof notInCode)[number]>

export function isCodeMistake(code: DiagnosisCode): code is CodeMistake {
  return !notInCode.some(other => other === code)
}

/**
 * The wrong lines and the right ones, without their indentation. One of the two stands in the language's sender;
 * an empty text is no line at all.
 */
export type Change = readonly [wrong: string, right: string]
export type Changes = Readonly<Record<CodeMistake, Change>>
