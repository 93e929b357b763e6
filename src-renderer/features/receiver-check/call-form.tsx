import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Info, Play } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Action } from '#shared/model/action.ts'
import { inputsOf } from '#shared/model/parameter.ts'
import { CheckId, expectationOf } from '#shared/model/receiver-check.ts'
import { api } from '../../client/client.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { ArgumentField } from '../../entities/action/argument-field.tsx'
import { readArguments, valuesOf, withEntry } from '../../entities/action/argument-values.ts'
import { useBrokenTexts } from '../../entities/action/use-broken-texts.ts'
import { useTypedArguments } from '../../entities/action/use-typed-arguments.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './receiver-check.module.css'
import type { Asked } from './use-receiver-check.ts'

const refusals = CheckId.options.filter(id => expectationOf(id) === 'refused').length
const all = CheckId.options.length

/** The arguments of the calls, and the consent to those that act. */
export function CallForm(props: {
  readonly action: Action
  /** The choice of the action. */
  readonly chooser: ReactNode
  /** Whether calls that are accepted were sent the last time; null for never. */
  readonly before: boolean | null
  readonly isPending: boolean
  readonly onFire: (asked: Asked) => void
}) {
  const { action, chooser, before, isPending, onFire } = props
  const { baseUrl, connectionId } = useCurrentConnection()
  const { actionId, method } = action
  const { data } = useQuery(api.actions.tests.queryOptions({ input: { connectionId, actionId } }))
  const [typed, setTyped] = useTypedArguments(actionId)
  const [hasConsent, setConsent] = useState(before ?? false)
  const [attempted, setAttempted] = useState(false)
  const { broken, onBroken } = useBrokenTexts()
  const parameters = inputsOf(action.parameters)
  const [last] = data?.tests ?? []
  const values = typed ?? valuesOf(parameters, last === undefined ? {} : exactArguments(last))
  const read = readArguments(parameters, values)
  const host = baseUrl === null ? null : new URL(baseUrl).host
  const acts = method !== 'GET'
  const count = !acts || hasConsent ? all : refusals

  function fire(): void {
    setAttempted(true)
    if (read.arguments === null || broken.size > 0 || isPending || host === null) return
    onFire({ argumentsText: JSON.stringify(read.arguments), allowEffects: acts && hasConsent })
  }
  useShortcut({ keys: 'mod+enter', label: 'Fire the calls', group: 'Receiver check' }, fire)

  const isShown = (name: string) => attempted || Object.hasOwn(read.given, name)
  return (
    <form
      className={classes.detail}
      aria-label="Call"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        fire()
      }}
    >
      <div className={classes.bar}>
        <h2 className="h3">Call</h2>
        <span className="push" />
        <span className="sm t3">{before === null ? 'never fired' : 'fired before'}</span>
      </div>
      <div className={classes.fields}>
        {chooser}
        {parameters.map(parameter => (
          <ArgumentField
            key={parameter.name}
            parameter={parameter}
            form={{ problems: read.refused, onBroken }}
            entry={Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined}
            problem={isShown(parameter.name) ? read.problems.get(parameter.name) : undefined}
            warning={read.warnings.get(parameter.name)}
            onChange={entry => setTyped(withEntry(values, parameter.name, entry))}
          />
        ))}
        {host === null ? (
          <Note tone="warn">
            This connection has no base URL, so its actions cannot be called. Set it on the Overview.
          </Note>
        ) : (
          acts && (
            <>
              <Note tone="warn">
                Five of the calls reach your handler when it is right, more when it is not. Each really acts:
                use arguments made for tests.
              </Note>
              <Checkbox
                checked={hasConsent}
                onChange={event => setConsent(event.currentTarget.checked)}
                label={
                  <>
                    These arguments do no harm at <code>{host}</code>
                  </>
                }
                description={`Without it, only the ${formatNumber(refusals)} calls that must be refused are sent.`}
              />
            </>
          )
        )}
        <div className="row">
          <WriteButton
            type="submit"
            variant="filled"
            size="md"
            icon={Play}
            keys="mod+enter"
            disabled={host === null}
            loading={isPending}
          >
            {`Fire ${formatNumber(count)} calls`}
          </WriteButton>
          <span className="sm t3">One after another</span>
        </div>
      </div>
      <p className={classes.remark}>
        <Info />
        Sent and signed as an assistant’s call would be.
      </p>
    </form>
  )
}
