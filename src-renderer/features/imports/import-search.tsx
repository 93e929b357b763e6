import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'

/** The field that searches a list below it. Arrow down and Enter go to the list, Escape first empties the field. */
export function ImportSearch(props: {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Moves the focus to the list. */
  readonly onLeave: () => void
}) {
  const { label, placeholder, value, onChange, onLeave } = props
  return (
    <TextInput
      size="sm"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={14} />}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.ctrlKey || event.metaKey) return
        if (event.key === 'ArrowDown' || event.key === 'Enter') onLeave()
        else if (event.key === 'Escape' && value !== '') onChange('')
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    />
  )
}
