import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { z } from 'zod'
import { parseJson } from '#shared/json/parse-json.ts'

/**
 * Keeps state in this browser, such as widths and the last workspace. All users of a key see each other's changes, also
 * from other tabs.
 *
 * @param schema a stored value that does not match it is ignored.
 */
export function useLocalStorage<T>(key: string, schema: z.ZodType<T>, initial: T): [T, (next: T) => void] {
  const name = `cc:${key}`
  const text = useSyncExternalStore(subscribe, () => read(name))
  const value = useMemo(
    () => schema.safeParse(text === null ? undefined : parseJson(text)).data ?? initial,
    [text, schema, initial],
  )
  const keep = useCallback(
    (next: T) => {
      try {
        localStorage.setItem(name, JSON.stringify(next))
      } catch {
        // Storage is blocked or full: the value is not remembered.
      }
      window.dispatchEvent(new Event(changed))
    },
    [name],
  )
  return [value, keep]
}

const changed = 'cc:local-storage'

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
