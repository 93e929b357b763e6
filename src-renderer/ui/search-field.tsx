import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Keys } from './keys.tsx'
import { useShortcut } from './shortcuts.tsx'

/** The search field of a list. `/` focuses it, Escape clears it, ↓ and Enter go to the list. */
export function SearchField(props: {
  /** From the address. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
  readonly placeholder: string
  /** The label and group of `/` in the list of shortcuts. */
  readonly does: string
  readonly group: string
  readonly list: RefObject<{ focus(): void } | null>
  readonly className: string | undefined
  /** Replaces going to the list. */
  readonly onEnter?: () => void
  readonly ref?: RefObject<HTMLInputElement | null>
}) {
  const { label, placeholder, does, group, list, className, onEnter } = props
  const own = useRef<HTMLInputElement>(null)
  const input = props.ref ?? own
  const [typed, type] = useBufferedText(props.value, props.onChange)
  useShortcut({ keys: '/', label: does, group }, () => {
    input.current?.focus()
    input.current?.select()
  })
  return (
    <TextInput
      ref={input}
      size="sm"
      className={className}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onChange={event => type(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Escape' && typed !== '') {
          event.preventDefault()
          type('')
        } else if (event.key === 'Enter' && onEnter !== undefined) {
          event.preventDefault()
          onEnter()
        } else if (event.key === 'Escape' || event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault()
          list.current?.focus()
        }
      }}
      leftSection={<Search />}
      rightSection={typed === '' ? <Keys keys="/" /> : undefined}
    />
  )
}

/**
 * Buffers a field's text that is stored asynchronously, as in the address. Without it, fast typing would lose letters and
 * the cursor's position.
 *
 * @param kept the stored text; changes from elsewhere replace the field's text.
 */
function useBufferedText(kept: string, keep: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(kept)
  /** Texts that were typed but not stored yet, oldest first. Some are never stored. */
  const inFlight = useRef<string[]>([])
  useEffect(() => {
    const at = inFlight.current.indexOf(kept)
    inFlight.current.splice(0, at === -1 ? inFlight.current.length : at + 1)
    if (at === -1) setTyped(kept)
  }, [kept])
  function type(text: string): void {
    inFlight.current.push(text)
    setTyped(text)
    keep(text)
  }
  return [typed, type]
}
