import { NativeSelect, SegmentedControl, Switch, TextInput } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { numberText, parseExact } from '#shared/json/exact-json.ts'
import type { NodeOf } from '../schema-node.ts'
import type { ControlProps } from './control-props.ts'

const placeholders: ReadonlyMap<string | null, string> = new Map([
  ['date', '2026-11-29'],
  ['date-time', '2026-11-29T08:00:00Z'],
])

/** One line of text. An empty one that is optional is left out. */
export function TextControl({ node, ...props }: ControlProps & { readonly node: NodeOf<'text'> }) {
  const { value, required, onChange } = props
  return (
    <Line
      {...props}
      text={typeof value === 'string' ? value : ''}
      placeholder={placeholders.get(node.format)}
      onText={text => onChange(text === '' && !required ? undefined : text)}
    />
  )
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A number with all its digits. What is not one yet stays a text, which is not valid. */
export function NumberControl(props: ControlProps) {
  const { value, required, onChange } = props
  return (
    <Line
      {...props}
      text={typeof value === 'string' ? value : (numberText(value) ?? '')}
      isNumeric
      onText={text => {
        const number = text.trim()
        if (number === '' && !required) onChange(undefined)
        else onChange(jsonNumber.test(number) ? parseExact(number) : text)
      }}
    />
  )
}

function Line(
  props: ControlProps & {
    readonly text: string
    readonly isNumeric?: boolean
    readonly placeholder?: string | undefined
    readonly onText: (text: string) => void
  },
) {
  const { id, label, path, text, isNumeric = false, required, describedBy, form, onText } = props
  return (
    <TextInput
      id={id}
      size="sm"
      aria-label={label}
      classNames={{ input: isNumeric || /^[\w.:/@-]*$/.test(text) ? 'mono' : '' }}
      value={text}
      onChange={event => onText(event.currentTarget.value)}
      inputMode={isNumeric ? 'decimal' : undefined}
      placeholder={required ? props.placeholder : 'Left out'}
      error={form.problems.has(path)}
      aria-required={required}
      aria-describedby={describedBy}
    />
  )
}

/** One of the values that a schema names. */
export function ChoiceControl({ node, ...props }: ControlProps & { readonly node: NodeOf<'choice'> }) {
  const { id, label, path, value, required, describedBy, form, onChange } = props
  const texts = node.values.map(one => (typeof one === 'string' ? one : JSON.stringify(one)))
  const chosen = node.values.findIndex(one => JSON.stringify(one) === JSON.stringify(value))
  return (
    <NativeSelect
      id={id}
      size="sm"
      aria-label={label}
      aria-describedby={describedBy}
      error={form.problems.has(path)}
      rightSection={<ChevronDown size={12} className="t3" />}
      data={[
        { value: '', label: required ? 'Choose a value' : 'Left out' },
        ...texts.map((text, index) => ({ value: String(index), label: text })),
      ]}
      value={chosen === -1 ? '' : String(chosen)}
      onChange={event => onChange(node.values[Number(event.currentTarget.value || Number.NaN)])}
    />
  )
}

/** A switch; for an optional value three states, one of which leaves it out. */
export function BooleanControl({ id, label, value, required, describedBy, onChange }: ControlProps) {
  if (required)
    return (
      <Switch
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        checked={value === true}
        onChange={event => onChange(event.currentTarget.checked)}
      />
    )
  return (
    <SegmentedControl
      id={id}
      size="xs"
      aria-label={label}
      aria-describedby={describedBy}
      data={[
        { value: 'out', label: 'Left out' },
        { value: 'true', label: 'true' },
        { value: 'false', label: 'false' },
      ]}
      value={value === undefined ? 'out' : String(value)}
      onChange={next => onChange(next === 'out' ? undefined : next === 'true')}
    />
  )
}
