import { Button, Checkbox, PasswordInput } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type FormEvent, type Ref, useState } from 'react'
import type { ImportDetails, ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'
import { useSetVariable } from '../environment/set-variable-dialog.tsx'
import { variableHint } from './issues.ts'
import classes from './preview-step.module.css'

/** Lists the variables used in headers, and asks for consent to send their values. */
export function PreviewVariables(props: {
  readonly preview: ImportPreview
  readonly hasConsent: boolean
  readonly onConsent: (given: boolean) => void
  readonly consentRef: Ref<HTMLInputElement>
}) {
  const { preview, hasConsent, onConsent, consentRef } = props
  const { environmentVariables } = preview.details
  const host = hostOf(preview)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className={classes.part} aria-label="Environment variables" tabIndex={0}>
      <h3 className={classes.heading}>
        Environment variables <span className={classes.aside}>used in headers</span>
      </h3>
      {environmentVariables.length === 0 && (
        <p className="sm t2">The headers of the actions to create use none.</p>
      )}
      <ul>
        {environmentVariables.map(variable => (
          <VariableRow
            key={variable.name}
            variable={variable}
            hint={variableHint(preview.issues, variable.name)}
          />
        ))}
      </ul>
      {environmentVariables.length > 0 &&
        (host === null ? (
          <p className="sm t2">The connection has no base URL yet, so these values aren’t sent yet.</p>
        ) : (
          <Checkbox
            ref={consentRef}
            classNames={{
              root: classes.consent ?? '',
              body: classes.consentBody ?? '',
              label: classes.consentLabel ?? '',
            }}
            checked={hasConsent}
            onChange={event => onConsent(event.currentTarget.checked)}
            label={
              <>
                Send their values to <code>{host}</code>
              </>
            }
            description="Whenever one of these actions is called. Values stay hidden here."
          />
        ))}
    </section>
  )
}

/** Returns the host that would get the values of variables, or null without variables or a base URL. */
export function hostOf({ environmentVariables }: ImportPreview): string | null {
  return environmentVariables[0]?.host ?? null
}

type Variable = ImportDetails['environmentVariables'][number]

function stateOf(sources: Variable['sources']): string {
  if (sources.length === 0) return 'Not set'
  return sources.includes('settings') ? 'Set in Settings' : 'Set by the process'
}

/** A variable with the headers that use it. It can be set here. */
function VariableRow(props: {
  readonly variable: Variable
  /** Says what to set it to. */
  readonly hint: string | null
}) {
  const { variable, hint } = props
  const { name, headers, actions, sources } = variable
  const [isSetting, setIsSetting] = useState(false)
  const isSet = sources.length > 0
  return (
    <li className={classes.variable}>
      <div className="row">
        <div className="col grow">
          <code className="cut">{name}</code>
          <span className="sm t3 cut">
            <code className={classes.headers}>{headers.join(', ')}</code> in {formatCount(actions, 'action')}
          </span>
        </div>
        {/* Not a toast, which would lie over the button that imports. */}
        <span className={`sm ${isSet ? 'ok' : 'warn'} nowrap row ${classes.state}`} role="status">
          {isSet ? <CircleCheck /> : <TriangleAlert />}
          {stateOf(sources)}
        </span>
        {!isSet && !isSetting && (
          <Button
            size="xs"
            flex="none"
            aria-label={`Set value of ${name}`}
            onClick={() => setIsSetting(true)}
          >
            Set value
          </Button>
        )}
      </div>
      {!isSet && hint !== null && <p className="sm t2">{hint}</p>}
      {!isSet && isSetting && <ValueForm name={name} onClose={() => setIsSetting(false)} />}
    </li>
  )
}

function ValueForm({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [value, setValue] = useState('')
  const { set, problems } = useSetVariable(onClose)
  function submit(event: FormEvent) {
    event.preventDefault()
    set.mutate({ name, value })
  }
  return (
    <form
      className={classes.valueForm}
      onSubmit={submit}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        // It closes this field only, not the dialog.
        event.preventDefault()
        onClose()
      }}
    >
      <PasswordInput
        size="sm"
        className="grow"
        aria-label={`Value of ${name}`}
        placeholder="Encrypted, and never shown again"
        autoComplete="off"
        // It replaces the button that had the focus.
        autoFocus
        value={value}
        error={problems.value}
        onChange={event => {
          setValue(event.currentTarget.value)
          set.reset()
        }}
      />
      <Button type="submit" disabled={value === ''} loading={set.isPending}>
        Set
      </Button>
      <Button variant="subtle" onClick={onClose}>
        Cancel
      </Button>
    </form>
  )
}
