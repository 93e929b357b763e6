import { Button, Switch, TextInput } from '@mantine/core'
import { Info, Send, X } from 'lucide-react'
import { useId } from 'react'
import type { Method } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { KeyButton } from '../../../ui/keys.tsx'
import { Problem, Warning } from '../definition/field.tsx'
import { type ArgumentValues, type Entry, withEntry } from './argument-values.ts'
import classes from './test.module.css'

/** The arguments of a call, and the button that sends it. */
export function ArgumentForm(props: {
  readonly parameters: readonly Parameter[]
  readonly method: Method
  readonly host: string
  readonly values: ArgumentValues
  readonly problems: ReadonlyMap<string, string>
  readonly warnings: ReadonlyMap<string, string>
  readonly isPending: boolean
  /** Says what happens to the draft before the request is sent. Null if it has no changes. */
  readonly before: 'Create' | 'Save' | null
  readonly onChange: (values: ArgumentValues) => void
  readonly onSend: () => void
}) {
  const { parameters, method, host, values, problems, warnings, isPending, before } = props
  return (
    <form
      className={classes.form}
      aria-label="Arguments"
      onSubmit={event => {
        event.preventDefault()
        props.onSend()
      }}
    >
      <div className={classes.arguments}>
        {parameters.length === 0 && <p className="sm t3">The action takes no arguments.</p>}
        {parameters.map((parameter, index) => (
          <ArgumentField
            // An invalid definition may have two parameters of one name.
            key={`${parameter.name} ${parameters.slice(0, index).filter(({ name }) => name === parameter.name).length}`}
            parameter={parameter}
            entry={Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined}
            problem={problems.get(parameter.name)}
            warning={warnings.get(parameter.name)}
            onChange={entry => props.onChange(withEntry(values, parameter.name, entry))}
          />
        ))}
      </div>
      <div className={classes.send}>
        <p className={classes.note}>
          <Info />
          <span>{consequence(method, host)}</span>
        </p>
        <KeyButton
          type="submit"
          variant="filled"
          size="md"
          fullWidth
          icon={Send}
          keys="mod+enter"
          disabled={isPending}
        >
          {before === null ? `Send ${method} request` : `${before} and send ${method}`}
        </KeyButton>
      </div>
    </form>
  )
}

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
  const toggle = type === 'boolean' && (
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
      <div className={classes.argumentHead} data-switch={type === 'boolean' || undefined}>
        <label htmlFor={id} className="cut" title={compact ? about : undefined}>
          {name}
        </label>
        {required && (
          <span className="bad" aria-hidden="true">
            *
          </span>
        )}
        {!compact && <span className="push" />}
        {!compact && (toggle || <span className={classes.type}>{type}</span>)}
      </div>
      {compact && toggle && <div className="row">{toggle}</div>}
      {about !== '' && (
        <p id={`${id}-about`} className={compact ? 'sr' : classes.about} title={about}>
          {about}
        </p>
      )}
      {type !== 'boolean' && <TextField {...props} id={id} describedBy={describedBy} />}
      {problem !== undefined && <Problem id={`${id}-problem`} message={problem} />}
      {problem !== undefined && type === 'string' && entry === undefined && (
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
  const { name, type, required } = parameter
  const text = typeof entry === 'string' ? entry : ''
  // An empty field leaves the argument out. “Send it empty” sends an empty string.
  const change = (next: string) => onChange(next === '' ? undefined : next)
  if (type === 'object')
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
      classNames={{ input: type === 'number' || /^[\w.:/@-]*$/.test(text) ? 'mono' : '' }}
      value={text}
      onChange={event => change(event.currentTarget.value)}
      inputMode={type === 'number' ? 'decimal' : undefined}
      placeholder={entry === '' ? 'sent empty' : required ? undefined : 'left out'}
      error={problem !== undefined}
      aria-required={required}
      aria-describedby={describedBy}
    />
  )
}
