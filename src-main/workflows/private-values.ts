import { minSecretLength, secretTexts, type TextMasker, textMasker } from '#main/outbound/mask-text.ts'
import { createContentsMasker, maskTree } from '#main/outbound/masking.ts'
import type { Initiator } from '#main/outbound/outbound-request.ts'
import type { RunStep } from '#main/storage/runs.ts'
import type { Sealing } from '#main/storage/sealing.ts'
import { isObject, numberText } from '#shared/json/exact-json.ts'

/** Bounds of the values that are looked for. Preparing them takes 5 µs for a character, and 80 for one that is escaped. */
const mostValues = 200
const mostWeight = 16 * 1024
const escapedWeight = 16
const escaped = /[^\w .~+/=-]/g

/** Masks the private values of one run: the texts and numbers in the outputs of its private steps. */
export type PrivateValues = {
  /**
   * Whether there are more values than are looked for. Then nothing of later steps is shown.
   */
  isFull(): boolean
  /** Adds the values of an output. */
  add(output: unknown): void
  /** Returns a text with masked values. */
  text(text: string): string
  /** Returns a JSON value with masked values; the same one if it has none. */
  tree(value: unknown): unknown
  /** Returns what records keep of a call; undefined if they keep it as it is. */
  kept(isPrivate: boolean): Initiator['kept']
  seal(step: RunStep, output: string): string
  /** Returns the output of an attempt; null if it was deleted, or was sealed with another key. */
  open(step: RunStep): string | null
}

/** Creates the private values of a run, at first none. */
export function createPrivateValues(runId: string, sealing: Sealing): PrivateValues {
  const values = new Set<string>()
  let weight = 0
  let isFull = false
  /** Undefined until it is needed: each new value makes another one. */
  let masker: TextMasker | null | undefined = null
  const contextOf = ({ path, attempt }: RunStep) => `run/${runId}/${path}/${attempt}/output`

  function textMaskerNow(): TextMasker | null {
    masker = masker === undefined ? textMasker([...values]) : masker
    return masker
  }

  return {
    isFull: () => isFull,
    add(output) {
      for (const value of textsIn(output)) {
        if (values.has(value)) continue
        weight += value.length + escapedWeight * (value.match(escaped)?.length ?? 0)
        isFull ||= weight > mostWeight || values.size === mostValues
        if (isFull) return
        values.add(value)
        masker = undefined
      }
    },
    text: text => textMaskerNow()?.(text) ?? text,
    tree(value) {
      const text = textMaskerNow()
      return text === null ? value : maskTree(value, text)
    },
    kept(isPrivate) {
      const text = textMaskerNow()
      return text === null && !isPrivate ? undefined : createContentsMasker([...values], text, isPrivate)
    },
    seal: (step, output) => sealing.seal(output, contextOf(step)),
    open(step) {
      if (step.sealed == null) return step.sealed === undefined ? step.output : null
      try {
        return sealing.open(step.sealed, contextOf(step))
      } catch {
        return null
      }
    },
  }
}

/** Yields the texts and numbers of a JSON value that are long enough to be looked for. */
function* textsIn(value: unknown): Generator<string> {
  const text = typeof value === 'string' ? value : numberText(value)
  if (text !== null) yield* secretTexts(text).filter(({ length }) => length >= minSecretLength)
  else if (Array.isArray(value)) for (const part of value) yield* textsIn(part)
  else if (isObject(value)) for (const part of Object.values(value)) yield* textsIn(part)
}
