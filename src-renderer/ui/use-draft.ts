import { useState } from 'react'

/**
 * What is being changed of something that is saved elsewhere. Fields that were not touched follow what is
 * saved; those that were stay as they were typed.
 */
export function useDraft<T extends object>(saved: T) {
  const [changes, setChanges] = useState<Partial<T>>({})
  const draft: T = { ...saved, ...changes }
  const changed = Object.fromEntries(
    Object.entries(changes).filter(([key, value]) => !Object.is(value, Reflect.get(saved, key))),
  )
  return {
    draft,
    /** Names of the fields that differ from what is saved. */
    changed: Object.keys(changed),
    isDirty: Object.keys(changed).length > 0,
    set: (change: Partial<T>) => setChanges(before => ({ ...before, ...change })),
    discard: () => setChanges({}),
    /** Tells that a draft was saved: what is still as it was sent follows what is saved, what was typed since stays. */
    settle: (sent: { readonly [K in keyof T]?: T[K] | undefined }) =>
      setChanges(before => {
        const since = { ...before }
        for (const [key, value] of Object.entries(sent))
          if (Object.is(value, Reflect.get(since, key))) Reflect.deleteProperty(since, key)
        return since
      }),
  }
}
