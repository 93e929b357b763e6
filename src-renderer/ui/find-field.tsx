import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useReturnFocus } from './focus.ts'
import { IconButton } from './icon-button.tsx'

type Find = {
  /** “Find in payload”. */
  readonly label: string
  /** Null while the field is closed. */
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

/** A button that opens a search field for a tree. Escape closes the field. */
export function FindField({ label, value, onChange }: Find) {
  return (
    <>
      {value !== null && <Field label={label} value={value} onChange={onChange} />}
      <IconButton
        size="xs"
        icon={Search}
        label={value === null ? label : 'Close search'}
        onClick={() => onChange(value === null ? '' : null)}
      />
    </>
  )
}

function Field({ label, value, onChange }: Find & { readonly value: string }) {
  useReturnFocus()
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label={label}
      placeholder="Find a key or a value"
      autoFocus
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onChange(null)
      }}
    />
  )
}
