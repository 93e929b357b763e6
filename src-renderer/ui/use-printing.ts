import { useSyncExternalStore } from 'react'

const paper = window.matchMedia('print')
/** Whether the browser has announced that it prints: it changes the medium later, when no component renders any more. */
let isAnnounced = false

function follow(onChange: () => void): () => void {
  const announce = ({ type }: Event) => {
    isAnnounced = type === 'beforeprint'
    onChange()
  }
  paper.addEventListener('change', onChange)
  addEventListener('beforeprint', announce)
  addEventListener('afterprint', announce)
  return () => {
    paper.removeEventListener('change', onChange)
    removeEventListener('beforeprint', announce)
    removeEventListener('afterprint', announce)
  }
}

/** Returns whether the page is being printed: paper shows what the screen has behind a choice or beyond the window. */
export const usePrinting = (): boolean => useSyncExternalStore(follow, () => isAnnounced || paper.matches)
