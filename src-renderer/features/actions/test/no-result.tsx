import { Button, Progress, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleX } from 'lucide-react'
import { type FormEvent, Fragment, type ReactNode, type Ref, useState } from 'react'
import type { TestRecord } from '#shared/model/call.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { SetMissingVariables } from '../../../entities/environment/set-missing-variables.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { formatNumber, formatTenths } from '../../../ui/format.ts'
import { RequestView } from '../../../ui/http-message.tsx'
import { fieldErrors } from '../../../ui/problem.ts'
import { useFormCommand } from '../../../ui/use-command.ts'
import { useNow } from '../../../ui/use-now.ts'
import { WriteButton } from '../../../ui/write-button.tsx'
import { callProblem, type WayOut } from './call-problems.ts'
import type { ShownTest } from './shown-test.ts'
import classes from './test.module.css'
import { TestSummary } from './test-summary.tsx'

/** Shows a call without a response: what failed, why, and what to do. */
export function CallProblem(props: {
  readonly test: ShownTest
  readonly tests: readonly TestRecord[]
  readonly onShowTest: (callId: string | null) => void
  readonly onAgain: () => void
  readonly onDefinition: () => void
}) {
  const { test, tests, onShowTest, onAgain, onDefinition } = props
  const { connectionId } = useCurrentConnection()
  const { error, request } = test.result
  if (error === null) return null
  const { title, remedy, ways } = callProblem(error)

  const overview = (label: string) => (
    <Button
      variant="subtle"
      renderRoot={rootProps => (
        <Link to="/connections/$connectionId" params={{ connectionId }} {...rootProps} />
      )}
    >
      {label}
    </Button>
  )
  const buttons: Readonly<Record<WayOut, ReactNode>> = {
    // The form shows the problems at its fields.
    arguments: null,
    again: <Button onClick={onAgain}>Send again</Button>,
    variables: <SetMissingVariables error={error} again="Send the request again to use it." />,
    definition: <Button onClick={onDefinition}>Open the definition</Button>,
    'base-url': overview('Base URL in Overview'),
    timeout: overview('Timeout in Overview'),
  }

  return (
    <div className={classes.scrolls}>
      <TestSummary test={test} tests={tests} onShowTest={onShowTest} />
      <div className={classes.summary} style={{ paddingTop: 0 }} role="alert">
        <h3 className="h3 row">
          <CircleX size={16} className="bad" />
          {title}
        </h3>
        <p className="sm t2">{error.message}</p>
        {remedy !== null && <p className="sm t2">{remedy}</p>}
        <div className="row" style={{ flexWrap: 'wrap', marginTop: 10 }}>
          {ways.map(way => (
            <Fragment key={way}>{buttons[way]}</Fragment>
          ))}
        </div>
      </div>
      {request !== null && (
        <div className={classes.summary} style={{ paddingTop: 0 }}>
          <h3 className="h3">Request as sent</h3>
          <RequestView request={request} />
        </div>
      )}
    </div>
  )
}

/** Shows the time of a running call, its time limit and a Cancel button. The caller shows it after half a second. */
export function Waiting(props: {
  readonly host: string
  readonly timeoutMs: number
  readonly onCancel: () => void
}) {
  const { host, timeoutMs, onCancel } = props
  const now = useNow(100)
  const [startedAt] = useState(() => Date.now() - 500)
  const seconds = Math.max(0, (now - startedAt) / 1000)
  const limit = formatNumber(timeoutMs / 1000)
  return (
    <div className={classes.waiting} role="status" aria-label={`Waiting for ${host}`}>
      <div className="row">
        <span className="w5 cut">Waiting for {host}</span>
        <span className="t3 num nowrap" aria-hidden="true">
          {formatTenths(seconds)} s
        </span>
        <span className="push" />
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <Progress
        size={3}
        value={Math.min(100, (seconds * 100_000) / timeoutMs)}
        transitionDuration={0}
        aria-label={`Time until the call is cancelled after ${limit} s`}
      />
      <p className="sm t3">Cancelled after {limit} s.</p>
    </div>
  )
}

/** Asks for the base URL that a connection needs before its actions can be called. */
export function BaseUrlForm(props: { readonly path: string; readonly inputRef: Ref<HTMLInputElement> }) {
  const { connectionId, name } = useCurrentConnection()
  const [baseUrl, setBaseUrl] = useState('')
  const save = useFormCommand(client.connections.update, 'The base URL was not saved', () =>
    queries.invalidateQueries({ queryKey: api.connections.key() }),
  )
  function submit(event: FormEvent): void {
    event.preventDefault()
    save.mutate({ connectionId, baseUrl })
  }
  return (
    <EmptyState title="No base URL">
      Where is the external system? {name} calls its actions there: <code>{props.path}</code> is appended.
      <form className={classes.baseUrl} onSubmit={submit}>
        <TextInput
          ref={props.inputRef}
          className="grow"
          label="Base URL"
          placeholder="https://api.example.com"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={baseUrl}
          error={fieldErrors(save.error).baseUrl}
          onChange={event => {
            setBaseUrl(event.currentTarget.value)
            save.reset()
          }}
        />
        <WriteButton type="submit" size="md" loading={save.isPending} disabled={baseUrl.trim() === ''}>
          Save base URL
        </WriteButton>
      </form>
    </EmptyState>
  )
}
