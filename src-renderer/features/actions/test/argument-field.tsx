import { Button, Switch, TextInput } from '@mantine/core'
import { CircleX, TriangleAlert, X } from 'lucide-react'
import { useId } from 'react'
import type { Parameter } from '#shared/model/parameter.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import classes from './test.module.css'

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
export function ArgumentField(props: ArgumentFieldProps) {
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
      {problem !== undefined && (
        <p id={`${id}-problem`} className={classes.problem}>
          <CircleX size={14} aria-hidden="true" />
          {problem}
        </p>
      )}
      {problem !== undefined && parameter.type === 'string' && entry === undefined && (
        <Button size="xs" mt={6} onClick={() => answer('')}>
          Send it empty
        </Button>
      )}
      {warning !== undefined && (
        <p className={classes.warning}>
          <TriangleAlert size={14} aria-hidden="true" />
          {warning}
        </p>
      )}
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
          className={type === 'number' || /^[\w.:/@-]*$/.test(text) ? classes.mono : undefined}
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
