import { useReducedMotion } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { playSpeed } from './opening.ts'

export type Opening = {
  readonly isOpen: boolean
  readonly isPlaying: boolean
  /** Milliseconds since the page was loaded. */
  readonly at: number
  /** Shows the widget open or closed. */
  readonly show: (isOpen: boolean) => void
  /** Shows the widget as it is at a moment. */
  readonly seek: (at: number) => void
  readonly play: () => void
}

/** Plays how the chat opens. @param delay in milliseconds; null if it does not open by itself. */
export function useOpening(delay: number | null): Opening {
  const [isOpen, setIsOpen] = useState(true)
  const [position, setPosition] = useState<number | null>(null)
  const [isPlaying, setIsPlaying] = useState(false)
  // With reduced motion, the mark jumps instead of gliding.
  const tickMs = useReducedMotion() ? 1000 : 40
  useEffect(() => {
    if (!isPlaying || delay === null) return
    const speed = playSpeed(delay)
    const started = performance.now()
    const ticks = setInterval(
      () => setPosition(Math.min(delay, (performance.now() - started) * speed)),
      tickMs,
    )
    const end = setTimeout(() => {
      setPosition(delay)
      setIsOpen(true)
      setIsPlaying(false)
    }, delay / speed)
    return () => {
      clearInterval(ticks)
      clearTimeout(end)
    }
  }, [isPlaying, delay, tickMs])
  function stopAt(at: number | null, opened: boolean): void {
    setIsPlaying(false)
    setPosition(at)
    setIsOpen(opened)
  }
  return {
    isOpen,
    isPlaying: isPlaying && delay !== null,
    at: position ?? delay ?? 0,
    show: opened => stopAt(null, opened),
    seek: at => stopAt(at, delay !== null && at >= delay),
    play() {
      stopAt(0, false)
      setIsPlaying(true)
    },
  }
}
