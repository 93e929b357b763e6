import { useCallback, useState } from 'react'
import type { z } from 'zod'

/**
 * State that this browser keeps, such as widths and the workspace last open: never anything of the service's.
 *
 * @param schema what is kept; anything else found there counts as nothing.
 */
export function useKept<T>(key: string, schema: z.ZodType<T>, initial: T): [T, (next: T) => void] {
  const [value, setValue] = useState(() => read(key, schema) ?? initial)
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      try {
        localStorage.setItem(`cc:${key}`, JSON.stringify(next))
      } catch {
        // A browser that keeps nothing: it lasts as long as the page.
      }
    },
    [key],
  )
  return [value, keep]
}

function read<T>(key: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(localStorage.getItem(`cc:${key}`) ?? 'null')).data
  } catch {
    return undefined
  }
}
