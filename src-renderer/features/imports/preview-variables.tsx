import { Button, Checkbox, PasswordInput } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type ComponentProps, type FormEvent, Fragment, type Ref, useState } from 'react'
import type { ImportDetails, ImportPreview } from '#shared/model/import-preview.ts'
import { useSetVariable, variableFields } from '../../entities/environment/set-variable-dialog.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { formatCount } from '../../ui/format.ts'
import { isAboutHost, variableHint } from './issues.ts'
import classes from './preview-step.module.css'

/** Shows first what a person should check: the host that is called, and the variables whose values it would get. */
export function PreviewChecks(props: {
  /** The part that is chosen. */
  readonly preview: ImportPreview
  readonly useBaseUrl: boolean
  readonly onUseBaseUrl: (use: boolean) => void
  readonly hasConsent: boolean
  readonly onConsent: (given: boolean) => void
  readonly consentRef: Ref<HTMLInputElement>
}) {
  const { preview, useBaseUrl, onUseBaseUrl } = props
  const { documentBaseUrl, environmentVariables } = preview.details
  const warnings = preview.issues.filter(isAboutHost)
  if (warnings.length === 0 && documentBaseUrl === null && environmentVariables.length === 0) return null
  return (
    <section className={classes.checks} aria-label="Check first">
      <h3 className={`warn ${classes.heading}`}>
        <TriangleAlert /> Check first
      </h3>
      {warnings.map(({ message }) => (
        <p key={message} className={`w5 ${classes.check}`}>
          {message}
        </p>
      ))}
      {documentBaseUrl !== null && (
        <Checkbox
          className={classes.check}
          checked={useBaseUrl}
          onChange={event => onUseBaseUrl(event.currentTarget.checked)}
          label={
            <>
              Use <code>{documentBaseUrl}</code> as base URL
            </>
          }
        />
      )}
      {environmentVariables.length > 0 && <PreviewVariables {...props} />}
    </section>
  )
}

/** Lists the variables used in headers, and asks for consent to send their values. */
function PreviewVariables(props: ComponentProps<typeof PreviewChecks>) {
  const { preview, hasConsent, onConsent, consentRef } = props
  const hosts = hostsOf(preview)
  return (
    <section aria-label="Environment variables">
      <ul>
        {variablesOf(preview).map(variable => (
          <VariableRow
            key={variable.name}
            variable={variable}
            hint={variableHint(preview.issues, variable.name)}
          />
        ))}
      </ul>
      {hosts.length === 0 ? (
        <p className={classes.check}>The connection has no base URL yet, so these values aren’t sent yet.</p>
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
              Send their values to{' '}
              {hosts.map((host, index) => (
                <Fragment key={host}>
                  {index > 0 && (index === hosts.length - 1 ? ' and ' : ', ')}
                  <code>{host}</code>
                </Fragment>
              ))}
            </>
          }
          description="Whenever one of these actions is called. Values stay hidden here."
        />
      )}
    </section>
  )
}

/** Returns the hosts that would get the values of variables; none without variables or a base URL. */
export function hostsOf({ environmentVariables }: Pick<ImportPreview, 'environmentVariables'>): string[] {
  return [...new Set(environmentVariables.flatMap(({ host }) => host ?? []))]
}

type Variable = ImportDetails['environmentVariables'][number] & {
  /** The hosts that would get its value; none without a base URL. */
  readonly hosts: readonly string[]
}

/** Returns each variable once, with all that send it. */
function variablesOf({ details, environmentVariables }: ImportPreview): Variable[] {
  const byName = Map.groupBy(
    details.environmentVariables.map((one, index) => ({
      ...one,
      host: environmentVariables[index]?.host ?? null,
    })),
    ({ name }) => name,
  )
  return Array.from(byName, ([name, uses]) => ({
    name,
    hosts: hostsOf({ environmentVariables: uses }),
    headers: [...new Set(uses.flatMap(({ headers }) => headers))],
    actions: uses.reduce((sum, { actions }) => sum + actions, 0),
    sources: uses[0]?.sources ?? [],
  }))
}

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
  const { name, hosts, headers, actions, sources } = variable
  const to = hosts.join(', ')
  const [isSetting, setIsSetting] = useState(false)
  const isSet = sources.length > 0
  return (
    <li className={classes.variable}>
      <div className="row">
        <div className="col grow">
          <span className="cut" title={to === '' ? name : `${name} to ${to}`}>
            <code>{name}</code>
            {to !== '' && (
              <>
                {' '}
                <span className="t2">to</span> <code>{to}</code>
              </>
            )}
          </span>
          <span className="sm t2 cut">
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
  const { values, change, note } = useStoredFields(`import-variable/${name}`, variableFields, {
    name,
    value: '',
  })
  const { value } = values
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
      {note}
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
          change({ value: event.currentTarget.value })
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
