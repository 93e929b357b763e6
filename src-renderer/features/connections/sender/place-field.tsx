import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { optionsOf } from '../../../ui/options-of.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import classes from './sender.module.css'
import type { PlaceIn } from './sender-draft.ts'

const places = { header: 'Header', path: 'Field', query: 'Query' } as const satisfies Record<PlaceIn, string>

/** Where a request has a value: the kind of place, and its name. */
export function PlaceField(props: {
  /** “Signature”, “Timestamp”. */
  readonly noun: string
  readonly note?: ReactNode
  readonly in: PlaceIn
  readonly text: string
  readonly placeholder?: string
  readonly isFixed: boolean
  readonly error: string | undefined
  readonly onChange: (place: { readonly in?: PlaceIn; readonly text?: string }) => void
}) {
  const { noun, note, text, placeholder = '', isFixed, error, onChange } = props
  const labels = {
    header: `${noun} header`,
    path: `Field with the ${noun.toLowerCase()}`,
    query: `Query parameter with the ${noun.toLowerCase()}`,
  } as const
  const field = (
    <TextInput
      label={
        <>
          {labels[props.in]} {note}
        </>
      }
      classNames={{ input: `${classes.machine} ${isFixed ? classes.fixed : ''}` }}
      spellCheck={false}
      readOnly={isFixed}
      value={text}
      placeholder={placeholder}
      onChange={event => onChange({ text: event.currentTarget.value })}
      error={error}
    />
  )
  if (isFixed) return field
  return (
    <div className={classes.place}>
      {field}
      <SearchSelect
        aria-label={`Where the ${noun.toLowerCase()} is`}
        data={optionsOf(places)}
        value={props.in}
        onChange={value => {
          if (value !== null) onChange({ in: value })
        }}
      />
    </div>
  )
}
