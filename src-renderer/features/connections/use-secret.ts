import { useEffect, useState } from 'react'
import { copyText } from '../../ui/copy-text.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'

/** How long a secret stays in sight, in milliseconds (design: Secret). */
export const shownForMs = 30_000

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
    copy: () => {
      read()
        .then(copyText)
        .then(
          () => toastDone(`${noun} copied`, 'It is a credential.'),
          error => toastProblem(`The ${lowerFirst(noun)} was not copied`, error),
        )
    },
  }
}

function lowerFirst(noun: string): string {
  return noun.charAt(0).toLowerCase() + noun.slice(1)
}
