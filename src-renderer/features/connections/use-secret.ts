import { useEffect, useState } from 'react'
import { copyAndTell } from '../../ui/copy-and-tell.ts'
import { toastProblem } from '../../ui/toasts.tsx'

/** How long a secret stays in sight, in milliseconds (design: Secret). */
const shownForMs = 30_000

/** A credential that is asked for when it is shown or copied, and forgotten when it is hidden. */
export type Secret = {
  /** Null while it is hidden. */
  readonly value: string | null
  reveal(): void
  hide(): void
  copy(): void
  /** Shows one that is known already, for as long. */
  show(value: string): void
}

/**
 * @param noun what it is called in sentences: “Signing secret”.
 * @param read asks the service for it.
 */
export function useSecret(noun: string, read: () => Promise<string>): Secret {
  // The number tells one showing from the next, so that each lasts as long.
  const [shown, setShown] = useState<{ value: string; at: number } | null>(null)
  useEffect(() => {
    if (shown === null) return
    const timer = setTimeout(() => setShown(null), shownForMs)
    return () => clearTimeout(timer)
  }, [shown])
  const show = (value: string) => setShown({ value, at: Date.now() })
  return {
    value: shown?.value ?? null,
    show,
    hide: () => setShown(null),
    reveal: () => {
      read().then(show, error => toastProblem(`The ${lowerFirst(noun)} could not be read`, error))
    },
    copy: () =>
      void copyAndTell(read(), {
        done: `${noun} copied`,
        note: 'It is a credential.',
        failed: `The ${lowerFirst(noun)} was not copied`,
      }),
  }
}

function lowerFirst(noun: string): string {
  return noun.charAt(0).toLowerCase() + noun.slice(1)
}
