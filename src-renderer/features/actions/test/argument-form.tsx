import { Info, Send } from 'lucide-react'
import type { Method } from '#shared/model/method.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { ArgumentField, consequence } from '../../../entities/action/argument-field.tsx'
import { type ArgumentValues, withEntry } from '../../../entities/action/argument-values.ts'
import { KeyButton } from '../../../ui/keys.tsx'
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
