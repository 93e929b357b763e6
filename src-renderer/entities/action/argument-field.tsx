import { Button, TextInput } from '@mantine/core'
import { useId } from 'react'
import { parseExact } from '#shared/json/exact-json.ts'
import type { Method } from '#shared/model/method.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { Problem, Warning } from '../../ui/field-problem.tsx'
import { formatJson } from '../../ui/format-json.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import classes from './argument-field.module.css'
import { argumentKindOf, type Entry } from './argument-values.ts'
import type { ControlForm } from './schema-form/control-props.ts'
import { BooleanControl, ChoiceControl } from './schema-form/controls.tsx'
import { hasFields, schemaOf } from './schema-form/form-value.ts'
import { SchemaControl } from './schema-form/schema-control.tsx'
import { nodeOf } from './schema-node.ts'

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
  /** Makes a form of a list or an object. Without it they are JSON. */
  readonly form?: ControlForm
  readonly onChange: (entry: Entry) => void
}

/** The field of one argument, by its type and schema. */
export function ArgumentField(props: ArgumentFieldProps) {
  const { parameter, entry, problem, warning, compact = false, form, onChange } = props
  const { name, type, required } = parameter
  const { field, mayBeEmpty } = argumentKindOf(parameter)
  const id = useId()
  const about = parameter.description.trim()
  const described = [about !== '' && `${id}-about`, problem !== undefined && `${id}-problem`]
  const describedBy = described.filter(part => part !== false).join(' ') || undefined
  // A switch is beside its name. All others are below it.
  const isSwitch = field === 'switch' && required
  const control = <Control {...props} id={id} describedBy={describedBy} />
  // The field of the part says it itself.
  const isOfPart = [...(form?.problems.keys() ?? [])].some(path => path.startsWith(`${name}.`))
  const { schema, root } = schemaOf(parameter)
  return (
    <div className={compact ? classes.compact : undefined} data-argument={name} data-type={type}>
      <div className={classes.argumentHead} data-switch={isSwitch || undefined}>
        <label htmlFor={id} className="cut" title={compact ? about : undefined}>
          {name}
        </label>
        {required && (
          <span className="bad" aria-hidden="true">
            *
          </span>
        )}
        {!compact && <span className="push" />}
        {!compact &&
          (isSwitch ? control : <span className={classes.type}>{nodeOf(schema, root).label}</span>)}
      </div>
      {compact && isSwitch && <div className="row">{control}</div>}
      {about !== '' && (
        <p id={`${id}-about`} className={compact ? 'sr' : classes.about} title={about}>
          {about}
        </p>
      )}
      {!isSwitch && control}
      {problem !== undefined && !isOfPart && <Problem id={`${id}-problem`} message={problem} />}
      {problem !== undefined && mayBeEmpty && entry === undefined && (
        <Button
          size="xs"
          mt={6}
          onClick={() => {
            onChange('')
            // The button disappears.
            document.getElementById(id)?.focus()
          }}
        >
          Send it empty
        </Button>
      )}
      {warning !== undefined && <Warning>{warning}</Warning>}
    </div>
  )
}

const noForm: ControlForm = { problems: new Map(), onBroken: () => {} }

/** An empty field leaves the argument out. “Send it empty” sends an empty string. */
function Control(
  props: ArgumentFieldProps & { readonly id: string; readonly describedBy: string | undefined },
) {
  const { parameter, entry, problem, compact = false, form, onChange, id, describedBy } = props
  const { name, required } = parameter
  const { field, isNumeric, entryOf } = argumentKindOf(parameter)
  const { schema, root } = schemaOf(parameter)
  const node = nodeOf(schema, root)
  const shared = {
    ...{ schema, root, id, describedBy, required, label: name, path: name, depth: 0 },
    form: form ?? noForm,
  }
  if (field === 'switch')
    return (
      <BooleanControl
        {...shared}
        value={entry}
        onChange={value => onChange(value === undefined ? value : value === true)}
      />
    )
  const values = node.kind === 'choice' ? node.values.map(entryOf) : []
  if (field === 'line' && node.kind === 'choice' && (entry === undefined || values.includes(entry)))
    return (
      <ChoiceControl
        {...shared}
        node={{ ...node, values }}
        value={entry}
        onChange={value => onChange(values.find(one => one === value))}
      />
    )
  const text = typeof entry === 'string' ? entry : ''
  const change = (next: string) => onChange(next === '' ? undefined : next)
  if (field === 'json') {
    const value = text.trim() === '' ? undefined : readJson(text)
    if (form !== undefined && value !== unreadable && hasFields(node, value, 0))
      return (
        <SchemaControl
          {...shared}
          value={value}
          onChange={next => onChange(next === undefined ? next : formatJson(JSON.stringify(next)))}
        />
      )
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
  }
  return (
    <TextInput
      id={id}
      size="sm"
      classNames={{ input: isNumeric || /^[\w.:/@-]*$/.test(text) ? 'mono' : '' }}
      value={text}
      onChange={event => change(event.currentTarget.value)}
      inputMode={isNumeric ? 'decimal' : undefined}
      placeholder={entry === '' ? 'Sent empty' : required ? undefined : 'Left out'}
      error={problem !== undefined}
      aria-required={required}
      aria-describedby={describedBy}
    />
  )
}

const unreadable = Symbol('unreadable')

function readJson(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return unreadable
  }
}
