import { Button, Switch, TextInput } from '@mantine/core'
import { Info, Send, X } from 'lucide-react'
import { useId } from 'react'
import type { Method } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { Keys } from '../../../ui/keys.tsx'
import { Problem, Warning } from '../definition/field.tsx'
import { type ArgumentValues, withEntry } from './argument-values.ts'
import classes from './test.module.css'

/** The arguments of a call, and the button that makes it. */
export function ArgumentForm(props: {
  readonly parameters: readonly Parameter[]
  readonly method: Method
  readonly host: string
  readonly values: ArgumentValues
  readonly problems: ReadonlyMap<string, string>
  readonly warnings: ReadonlyMap<string, string>
  readonly isPending: boolean
  /** What is done with the draft before the request is sent; null where there is nothing to do. */
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
            // A name may stand there twice until the definition is right.
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
        <Button
          type="submit"
          variant="filled"
          size="md"
          fullWidth
          leftSection={<Send />}
          rightSection={<Keys keys="mod+enter" />}
          disabled={isPending}
        >
          {before === null ? `Send ${method} request` : `${before} and send ${method}`}
        </Button>
      </div>
    </form>
  )
}

function consequence(method: Method, host: string): string {
  if (method === 'GET') return `A real, signed request to ${host}.`
  const what = method === 'DELETE' ? 'may delete data' : 'may change data'
  return `A real, signed request. It ${what} at ${host}.`
}

type Entry = string | boolean | undefined

type ArgumentFieldProps = {
  readonly parameter: Parameter
  /** What is to be sent; undefined leaves the parameter out. */
  readonly entry: Entry
  readonly problem: string | undefined
  readonly warning: string | undefined
  readonly onChange: (entry: Entry) => void
}

/** One argument, in the field that fits its type. */
function ArgumentField(props: ArgumentFieldProps) {
  const { parameter, entry, problem, warning, onChange } = props
  const id = useId()
  const isDescribed = parameter.description.trim() !== ''
  const described = [isDescribed && `${id}-about`, problem !== undefined && `${id}-problem`]
  const describedBy = described.filter(part => part !== false).join(' ') || undefined
  /** For a button that goes with what it says: the keyboard stays at the argument. */
  function answer(entry: Entry): void {
    onChange(entry)
    document.getElementById(id)?.focus()
  }
  return (
    <div className={classes.argument} data-argument={parameter.name}>
      {parameter.type === 'boolean' ? (
        <BooleanField {...props} id={id} describedBy={describedBy} onLeaveOut={() => answer(undefined)} />
      ) : (
        <TextField {...props} id={id} describedBy={describedBy} />
      )}
      {problem !== undefined && <Problem id={`${id}-problem`} message={problem} />}
      {problem !== undefined && parameter.type === 'string' && entry === undefined && (
        <Button size="xs" mt={6} onClick={() => answer('')}>
          Send it empty
        </Button>
      )}
      {warning !== undefined && <Warning>{warning}</Warning>}
    </div>
  )
}

type WithId = ArgumentFieldProps & { readonly id: string; readonly describedBy: string | undefined }

/** What the assistant is told of the parameter, for whoever fills it in. */
function About({ id, parameter }: Pick<WithId, 'id' | 'parameter'>) {
  const text = parameter.description.trim()
  return (
    text !== '' && (
      <p id={`${id}-about`} className={classes.about} title={text}>
        {text}
      </p>
    )
  )
}

function TextField({ parameter, entry, problem, onChange, id, describedBy }: WithId) {
  const { name, type, required } = parameter
  const text = typeof entry === 'string' ? entry : ''
  // Nothing typed is nothing sent; what is to be sent empty is asked for by name.
  const change = (next: string) => onChange(next === '' ? undefined : next)
  return (
    <>
      <div className={classes.argumentHead}>
        <label htmlFor={id} className="cut">
          {name}
        </label>
        {required && (
          <span className="bad" aria-hidden="true">
            *
          </span>
        )}
        <span className="push">{type}</span>
      </div>
      <About id={id} parameter={parameter} />
      {type === 'object' ? (
        <JsonEditor
          label={required ? `${name}, required` : name}
          value={text}
          onChange={change}
          minLines={3}
          maxLines={14}
          foot={false}
          describedBy={describedBy}
        />
      ) : (
        <TextInput
          id={id}
          size="sm"
          classNames={{ input: type === 'number' || /^[\w.:/@-]*$/.test(text) ? 'mono' : '' }}
          value={text}
          onChange={event => change(event.currentTarget.value)}
          inputMode={type === 'number' ? 'decimal' : undefined}
          placeholder={entry === '' ? 'sent empty' : required ? undefined : 'left out'}
          error={problem !== undefined}
          required={false}
          aria-required={required}
          aria-describedby={describedBy}
        />
      )}
    </>
  )
}

function BooleanField(props: WithId & { readonly onLeaveOut: () => void }) {
  const { parameter, entry, onChange, id, describedBy, onLeaveOut } = props
  const { name, required } = parameter
  const isLeftOut = entry === undefined && !required
  return (
    <>
      <div className={classes.switchLine}>
        <label htmlFor={id} className="cut">
          {name}
        </label>
        {required && (
          <span className="bad" aria-hidden="true">
            *
          </span>
        )}
        <span className="push" />
        {isLeftOut ? (
          <span className="xs t3">left out</span>
        ) : (
          !required && <IconButton icon={X} size="xs" label={`Leave out ${name}`} onClick={onLeaveOut} />
        )}
        <Switch
          id={id}
          checked={entry === true}
          aria-describedby={describedBy}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      </div>
      <About id={id} parameter={parameter} />
    </>
  )
}
