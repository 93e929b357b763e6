import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import { Keys } from '../../ui/keys.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'

/** The field that filters the actions; `/` goes there, Escape empties it and ↓ leads to the list. */
export function FilterField(props: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder: string
  readonly list: RefObject<{ focus(): void } | null>
  readonly className?: string
}) {
  const { value, onChange, placeholder, list } = props
  const input = useRef<HTMLInputElement>(null)
  useShortcut({ keys: '/', label: 'Filter the actions', group: 'Actions' }, () => input.current?.focus())
  return (
    <TextInput
      ref={input}
      className={props.className}
      size="sm"
      aria-label="Filter actions"
      placeholder={placeholder}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.key === 'Escape' && value !== '') {
          event.preventDefault()
          onChange('')
        } else if (event.key === 'Escape' || event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault()
          list.current?.focus()
        }
      }}
      leftSection={<Search size={14} aria-hidden="true" />}
      rightSection={value === '' ? <Keys keys="/" /> : undefined}
    />
  )
}
