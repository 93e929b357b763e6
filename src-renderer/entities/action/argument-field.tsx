import { Button, Switch, TextInput } from '@mantine/core'
import { X } from 'lucide-react'
import { useId } from 'react'
import type { Method } from '#shared/model/method.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { Problem, Warning } from '../../ui/field-problem.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import classes from './argument-field.module.css'
import { argumentKindOf, type Entry, typeLabel } from './argument-values.ts'

/** Says what a call may change. */
export function consequence(method: Method, host: string): string {
  if (method === 'GET') return `A real, signed request to ${host}.`
  const what = method === 'DELETE' ? 'may delete data' : 'may change data'
  return `A real, signed request. It ${what} at ${host}.`
}

type ArgumentFieldProps = {
  readonly parameter: Parameter
  readonly entry: Entry
  readonly problem: string | undefined
  readonly warning: string | undefined
  /** Whether the name is beside the field, without its type and description. */
  readonly compact?: boolean
  readonly onChange: (entry: Entry) => void
}

/** The field of one argument, by its type. */
export function ArgumentField(props: ArgumentFieldProps) {
  const { parameter, entry, problem, warning, compact = false, onChange } = props
  const { name, type, required } = parameter
  const { field, mayBeEmpty } = argumentKindOf(parameter)
  const id = useId()
  const about = parameter.description.trim()
  const described = [about !== '' && `${id}-about`, problem !== undefined && `${id}-problem`]
  const describedBy = described.filter(part => part !== false).join(' ') || undefined
  /** Changes the entry by a button that disappears, and returns the focus to the field. */
  function answer(next: Entry): void {
    onChange(next)
    document.getElementById(id)?.focus()
  }
  const isLeftOut = entry === undefined && !required
  const toggle = field === 'switch' && (
    <>
      {isLeftOut && <span className="xs t3">left out</span>}
      {!isLeftOut && !required && (
        <IconButton icon={X} size="xs" label={`Leave out ${name}`} onClick={() => answer(undefined)} />
      )}
      <Switch
        id={id}
        checked={entry === true}
        aria-describedby={describedBy}
        onChange={event => onChange(event.currentTarget.checked)}
      />
    </>
  )
  return (
    <div className={compact ? classes.compact : undefined} data-argument={name} data-type={type}>
      <div className={classes.argumentHead} data-switch={field === 'switch' || undefined}>
        <label htmlFor={id} className="cut" title={compact ? about : undefined}>
          {name}
        </label>
        {required && (
          <span className="bad" aria-hidden="true">
            *
          </span>
        )}
        {!compact && <span className="push" />}
        {!compact && (toggle || <span className={classes.type}>{typeLabel(parameter)}</span>)}
      </div>
      {compact && toggle && <div className="row">{toggle}</div>}
      {about !== '' && (
        <p id={`${id}-about`} className={compact ? 'sr' : classes.about} title={about}>
          {about}
        </p>
      )}
      {field !== 'switch' && <TextField {...props} id={id} describedBy={describedBy} />}
      {problem !== undefined && <Problem id={`${id}-problem`} message={problem} />}
      {problem !== undefined && mayBeEmpty && entry === undefined && (
        <Button size="xs" mt={6} onClick={() => answer('')}>
          Send it empty
        </Button>
      )}
      {warning !== undefined && <Warning>{warning}</Warning>}
    </div>
  )
}

function TextField(
  props: ArgumentFieldProps & { readonly id: string; readonly describedBy: string | undefined },
) {
  const { parameter, entry, problem, compact = false, onChange, id, describedBy } = props
  const { name, required } = parameter
  const { field, isNumeric } = argumentKindOf(parameter)
  const text = typeof entry === 'string' ? entry : ''
  // An empty field leaves the argument out. “Send it empty” sends an empty string.
  const change = (next: string) => onChange(next === '' ? undefined : next)
  if (field === 'json')
    return (
      <JsonEditor
        label={required ? `${name}, required` : name}
        value={text}
        onChange={change}
        minLines={compact ? 1 : 3}
        maxLines={14}
        foot={false}
        describedBy={describedBy}
      />
    )
  return (
    <TextInput
      id={id}
      size="sm"
      classNames={{ input: isNumeric || /^[\w.:/@-]*$/.test(text) ? 'mono' : '' }}
      value={text}
      onChange={event => change(event.currentTarget.value)}
      inputMode={isNumeric ? 'decimal' : undefined}
      placeholder={entry === '' ? 'sent empty' : required ? undefined : 'left out'}
      error={problem !== undefined}
      aria-required={required}
      aria-describedby={describedBy}
    />
  )
}
