import { type SyntheticEvent, useSyncExternalStore } from 'react'

let reason: string | null = null
const listeners = new Set<() => void>()

/** Says why nothing can be changed at present; null if it can be. */
export function setReadOnly(next: string | null): void {
  reason = next
  for (const listener of listeners) listener()
}

/** Returns why nothing can be changed at present; null if it can be. */
export const useReadOnly = (): string | null => useSyncExternalStore(subscribe, () => reason)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Returns the props of a button or a switch that changes something at once. While nothing can be changed, it keeps its
 * place and the focus, says why and does nothing.
 */
export function useWriting() {
  const title = useReadOnly()
  if (title === null) return null
  return { ...inactive, title }
}

const inactive = {
  'aria-disabled': true,
  'data-disabled': true,
  'data-off': true,
  // Before its own handler, and before a form is submitted.
  onClickCapture(event: SyntheticEvent) {
    event.preventDefault()
    event.stopPropagation()
  },
} as const
