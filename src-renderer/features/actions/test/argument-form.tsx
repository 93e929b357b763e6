import { Button, SegmentedControl } from '@mantine/core'
import { Info, Send } from 'lucide-react'
import { useState } from 'react'
import type { Method } from '#shared/model/method.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { ArgumentField, consequence } from '../../../entities/action/argument-field.tsx'
import { type ArgumentValues, valuesOf, withEntry } from '../../../entities/action/argument-values.ts'
import type { ControlForm } from '../../../entities/action/schema-form/control-props.ts'
import { optionsOf } from '../../../ui/options-of.ts'
import { WriteButton } from '../../../ui/write-button.tsx'
import { exampleArguments } from '../preview/example-arguments.ts'
import { ArgumentsJson } from './arguments-json.tsx'
import classes from './test.module.css'

/** The path of the whole object, which no argument has. */
const wholeJson = ''

/** The arguments of a call, as a form or as JSON, and the button that sends it. */
export function ArgumentForm(props: {
  readonly parameters: readonly Parameter[]
  readonly method: Method
  readonly host: string
  readonly values: ArgumentValues
  /** The values that could be read. */
  readonly given: Readonly<Record<string, unknown>>
  readonly form: ControlForm
  readonly problems: ReadonlyMap<string, string>
  readonly warnings: ReadonlyMap<string, string>
  readonly isPending: boolean
  /** Says what happens to the draft before the request is sent. Null if it has no changes. */
  readonly before: 'Create' | 'Save' | null
  readonly onChange: (values: ArgumentValues) => void
  readonly onSend: () => void
}) {
  const { parameters, method, host, values, given, form, problems, warnings, isPending, before } = props
  const [view, setView] = useState<'form' | 'json'>('form')
  function show(next: 'form' | 'json'): void {
    setView(next)
    form.onBroken(wholeJson, false)
  }
  const replace = (next: ArgumentValues) => {
    show('form')
    props.onChange(next)
  }
  return (
    <form
      className={classes.form}
      aria-label="Arguments"
      onSubmit={event => {
        event.preventDefault()
        props.onSend()
      }}
    >
      {parameters.length > 0 && (
        <div className={classes.argumentBar}>
          <SegmentedControl
            size="xs"
            aria-label="Arguments as"
            value={view}
            onChange={show}
            data={optionsOf({ form: 'Form', json: 'JSON' })}
          />
          <span className="push" />
          <Button
            size="xs"
            variant="subtle"
            onClick={() => replace(valuesOf(parameters, exampleArguments(parameters)))}
          >
            Example
          </Button>
          <Button size="xs" variant="subtle" onClick={() => replace({})}>
            Clear
          </Button>
        </div>
      )}
      <div className={classes.arguments}>
        {parameters.length === 0 && <p className="sm t3">The action takes no arguments.</p>}
        {view === 'json' && (
          <ArgumentsJson
            parameters={parameters}
            given={given}
            onChange={props.onChange}
            onBroken={isBroken => form.onBroken(wholeJson, isBroken)}
          />
        )}
        {(view === 'form' ? parameters : []).map((parameter, index) => (
          <ArgumentField
            // An invalid definition may have two parameters of one name.
            key={`${parameter.name} ${parameters.slice(0, index).filter(({ name }) => name === parameter.name).length}`}
            parameter={parameter}
            form={form}
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
        <WriteButton
          type="submit"
          variant="filled"
          size="md"
          fullWidth
          icon={Send}
          keys="mod+enter"
          disabled={isPending}
        >
          {before === null ? `Send ${method} request` : `${before} and send ${method}`}
        </WriteButton>
      </div>
    </form>
  )
}
