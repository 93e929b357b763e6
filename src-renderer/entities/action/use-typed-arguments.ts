import { useCallback, useState } from 'react'
import { z } from 'zod'
import type { ArgumentValues } from './argument-values.ts'

const storageKey = 'cc:arguments'
/** The bounds of what is kept, because a page's storage is small. */
const maxActions = 50
const maxCharacters = 256 * 1024

const Kept = z.array(z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.boolean()]))]))
type Kept = z.infer<typeof Kept>

/**
 * Keeps what is typed into the test form of an action across reloads. Undefined until something is typed. It is kept in
 * this browser tab only, because arguments may be personal data.
 */
export function useTypedArguments(
  actionId: string,
): [ArgumentValues | undefined, (next: ArgumentValues) => void] {
  const [values, setValues] = useState(() => read().find(([id]) => id === actionId)?.[1])
  const set = useCallback(
    (next: ArgumentValues) => {
      setValues(next)
      keep([[actionId, next], ...read().filter(([id]) => id !== actionId)])
    },
    [actionId],
  )
  return [values, set]
}

/** Puts arguments into the test form of an action that is not open. */
export function putArguments(actionId: string, values: ArgumentValues): void {
  keep([[actionId, values], ...read().filter(([id]) => id !== actionId)])
}

/** Moves what was typed for one action to another, or drops it if `to` is null. */
export function moveArguments(from: string, to: string | null): void {
  const entries = read()
  const values = entries.find(([id]) => id === from)?.[1]
  if (values === undefined) return
  const rest = entries.filter(([id]) => id !== from && id !== to)
  keep(to === null ? rest : [[to, values], ...rest])
}

function read(): Kept {
  try {
    return Kept.catch([]).parse(JSON.parse(sessionStorage.getItem(storageKey) ?? '[]'))
  } catch {
    return []
  }
}

/** Saves the newest entries that fit. */
function keep(entries: Kept): void {
  const kept = entries.slice(0, maxActions)
  while (kept.length > 0 && JSON.stringify(kept).length > maxCharacters) kept.pop()
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(kept))
  } catch {
    // The browser stores nothing, so the arguments last until the page is reloaded.
  }
}
