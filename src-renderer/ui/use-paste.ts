import { useEffect, useEffectEvent } from 'react'
import { isTyping } from './match-keys.ts'

/** Calls back with a text that is pasted while no field has the focus and no dialog is open, as long as `isOn`. */
export function usePaste(paste: (text: string) => void, isOn = true): void {
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text === '' || isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return
    event.preventDefault()
    paste(text)
  })
  useEffect(() => {
    if (!isOn) return
    const listener = (event: ClipboardEvent) => onPaste(event)
    window.addEventListener('paste', listener)
    return () => window.removeEventListener('paste', listener)
  }, [isOn])
}
