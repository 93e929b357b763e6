import { useCallback, useState } from 'react'
import { z } from 'zod'
import type { ArgumentValues } from './argument-values.ts'

const storageKey = 'cc:arguments'
/** The newest that are kept, and how long their texts may be together: a page's storage is small. */
const maxActions = 50
const maxCharacters = 256 * 1024

const Kept = z.array(z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.boolean()]))]))
type Kept = z.infer<typeof Kept>

/**
 * What was typed into the test form of an action, over a reload of the page; undefined before anything was. It is
 * kept for this tab alone and goes with it: arguments are somebody's data.
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

/** Hands what was typed for one action to another, in place of what that one had; with null it is dropped. */
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

/** Drops the oldest until the rest fits. */
function keep(entries: Kept): void {
  const kept = entries.slice(0, maxActions)
  while (kept.length > 0 && JSON.stringify(kept).length > maxCharacters) kept.pop()
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(kept))
  } catch {
    // A browser that stores nothing: the arguments hold until the page is reloaded.
  }
}
