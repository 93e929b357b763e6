import { Button } from '@mantine/core'
import { Info, Send } from 'lucide-react'
import type { Method } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { Keys } from '../../../ui/keys.tsx'
import { ArgumentField } from './argument-field.tsx'
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
          <Info size={14} aria-hidden="true" />
          <span>{consequence(method, host)}</span>
        </p>
        <Button
          type="submit"
          variant="filled"
          size="md"
          fullWidth
          leftSection={<Send size={14} aria-hidden="true" />}
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
