import { callRules } from './call-rules.ts'
import { eventRules } from './event-rules.ts'
import type { History, Proof } from './history.ts'
import { readRules } from './read-rules.ts'
import { registerRules } from './register-rules.ts'
import { runRules } from './run-rules.ts'

/** A rule, by the name of what must not be, and a proof for each violation. */
export type Checked = { readonly rule: string; readonly proofs: readonly Proof[] }

/** Checks a history by all rules. */
export function checkHistory(history: History): Checked[] {
  const rules = { ...eventRules, ...runRules, ...callRules, ...readRules, ...registerRules }
  return Object.entries(rules).map(([rule, find]) => ({ rule, proofs: find(history) }))
}
