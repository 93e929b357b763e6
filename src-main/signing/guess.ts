import type { Diagnosis, DiagnosisCode } from '#shared/model/diagnosis.ts'

/** Bytes, or text that stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string

/** A value that the sender may have used, and the mistake it means; null for the right value. */
export type Guess<Value> = { readonly mistake: Diagnosis | null; readonly value: Value }

export function right<Value>(value: Value): Guess<Value> {
  return { mistake: null, value }
}

/** @param message one sentence: the mistake, then what to do instead; without secrets */
export function wrong<Value>(code: DiagnosisCode, message: string, value: Value): Guess<Value> {
  return { mistake: { code, message }, value }
}
