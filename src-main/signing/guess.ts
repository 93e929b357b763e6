import type { Diagnosis, DiagnosisCode } from '#shared/model/diagnosis.ts'

/** Bytes, or text that stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string

/** One value that a sender may have used, and the mistake it would be; null for the right value. */
export type Guess<Value> = { readonly mistake: Diagnosis | null; readonly value: Value }

export function right<Value>(value: Value): Guess<Value> {
  return { mistake: null, value }
}

/** @param message one sentence that says what was done and what to do instead; no secret in it */
export function wrong<Value>(code: DiagnosisCode, message: string, value: Value): Guess<Value> {
  return { mistake: { code, message }, value }
}
