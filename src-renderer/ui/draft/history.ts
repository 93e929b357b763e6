/** A draft with what undo and redo return to. */
export type History<Draft> = {
  readonly past: readonly Draft[]
  readonly present: Draft
  readonly future: readonly Draft[]
  /** Names the last change. Another change with the same tag belongs to it, such as the next letter of a word. */
  readonly tag: string | null
}

/** Changes that can be undone. */
const maxPast = 200

export function startHistory<Draft>(present: Draft): History<Draft> {
  return { past: [], present, future: [], tag: null }
}

/** Records a change. @param tag null if the change stands alone. */
export function record<Draft>(
  history: History<Draft>,
  present: Draft,
  tag: string | null = null,
): History<Draft> {
  const { past } = history
  if (present === history.present) return history
  if (tag !== null && tag === history.tag && past.length > 0) return { past, present, future: [], tag }
  return { past: [...past, history.present].slice(-maxPast), present, future: [], tag }
}

/** Completes the last change, so that both are undone together. */
export function amend<Draft>(history: History<Draft>, present: Draft): History<Draft> {
  return { ...history, present }
}

/** Applies a change from elsewhere to every draft of a history, so that undo does not take it back. */
export function changeAll<Draft>(history: History<Draft>, change: (draft: Draft) => Draft): History<Draft> {
  const { past, present, future, tag } = history
  return { past: past.map(change), present: change(present), future: future.map(change), tag }
}

export function undo<Draft>(history: History<Draft>): History<Draft> {
  const { past, present, future } = history
  const before = past.at(-1)
  if (before === undefined) return history
  return { past: past.slice(0, -1), present: before, future: [present, ...future], tag: null }
}

export function redo<Draft>(history: History<Draft>): History<Draft> {
  const { past, present, future } = history
  const [next, ...rest] = future
  if (next === undefined) return history
  return { past: [...past, present], present: next, future: rest, tag: null }
}
