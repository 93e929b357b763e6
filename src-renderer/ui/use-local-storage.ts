import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { z } from 'zod'

/**
 * State that this browser keeps, such as widths and the workspace last open: never anything of the service's.
 * All that use the same key see each other's changes, those of other tabs too.
 *
 * @param schema what is kept; anything else found there counts as nothing.
 */
export function useLocalStorage<T>(key: string, schema: z.ZodType<T>, initial: T): [T, (next: T) => void] {
  const name = `cc:${key}`
  const text = useSyncExternalStore(subscribe, () => read(name))
  const value = useMemo(() => parse(text, schema) ?? initial, [text, schema, initial])
  const keep = useCallback(
    (next: T) => {
      try {
        localStorage.setItem(name, JSON.stringify(next))
      } catch {
        // A browser that keeps nothing, or whose store is full: what was chosen is not remembered.
      }
      window.dispatchEvent(new Event(changed))
    },
    [name],
  )
  return [value, keep]
}

const changed = 'cc:kept'

function subscribe(listener: () => void): () => void {
  window.addEventListener(changed, listener)
  window.addEventListener('storage', listener)
  return () => {
    window.removeEventListener(changed, listener)
    window.removeEventListener('storage', listener)
  }
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function parse<T>(text: string | null, schema: z.ZodType<T>): T | undefined {
  if (text === null) return undefined
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
