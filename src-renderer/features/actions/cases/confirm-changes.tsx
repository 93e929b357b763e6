import { Button } from '@mantine/core'
import { queries } from '../../../client/query-client.ts'
import { openDialog } from '../../../ui/confirm-dialog.tsx'
import classes from '../../../ui/dialog.module.css'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { WriteButton } from '../../../ui/write-button.tsx'
import type { CallableCase } from './case-runs.ts'

const agreedKey = (connectionId: string) => ['session', 'case-changes', connectionId]
/** How many of the calls that change data are named. */
const mostNamed = 6

/** Runs cases. Asks first, once for each connection until the page is left, if some of them may change data. */
export function confirmChanges(
  connection: { readonly connectionId: string; readonly baseUrl: string | null },
  cases: readonly CallableCase[],
  run: (cases: readonly CallableCase[]) => void,
): void {
  const { connectionId, baseUrl } = connection
  const reading = cases.filter(({ method }) => method === 'GET')
  const isAgreed = queries.getQueryData<boolean>(agreedKey(connectionId)) === true
  if (reading.length === cases.length || isAgreed) {
    run(cases)
    return
  }
  const close = openDialog({
    title: cases.length === 1 ? 'Run a case that changes data?' : 'Run cases that change data?',
    children: (
      <Choices
        cases={cases}
        reading={reading.length}
        host={baseUrl === null ? 'the external system' : new URL(baseUrl).host}
        onChoice={choice => {
          close()
          if (choice === 'all') queries.setQueryData(agreedKey(connectionId), true)
          if (choice !== 'none') run(choice === 'all' ? cases : reading)
        }}
      />
    ),
  })
}

function Choices(props: {
  readonly cases: readonly CallableCase[]
  readonly reading: number
  readonly host: string
  readonly onChoice: (choice: 'all' | 'reading' | 'none') => void
}) {
  const { cases, reading, host, onChoice } = props
  const changing = cases.filter(({ method }) => method !== 'GET')
  const more = changing.length - mostNamed
  const count =
    cases.length === 1
      ? 'This case changes data'
      : changing.length === 1
        ? `1 of ${formatNumber(cases.length)} cases changes data`
        : `${formatNumber(changing.length)} of ${formatNumber(cases.length)} cases change data`
  return (
    <div className={classes.form}>
      <p>
        {count} at {host}:
      </p>
      <ul className={classes.list}>
        {changing.slice(0, mostNamed).map(({ caseId, method, toolName, name }) => (
          <li key={caseId}>
            <code>
              {method} {toolName}
            </code>{' '}
            {name}
          </li>
        ))}
        {more > 0 && <li>{formatCount(more, 'more case', 'more cases')}</li>}
      </ul>
      <p className="sm t2">You are asked once for this connection, until you leave the page.</p>
      <div className={classes.foot}>
        <Button variant="subtle" size="md" data-autofocus onClick={() => onChoice('none')}>
          Cancel
        </Button>
        {reading > 0 && (
          <WriteButton size="md" onClick={() => onChoice('reading')}>
            Only the {formatCount(reading, 'GET case')}
          </WriteButton>
        )}
        <WriteButton variant="filled" size="md" onClick={() => onChoice('all')}>
          {cases.length === 1 ? 'Run' : 'Run all'}
        </WriteButton>
      </div>
    </div>
  )
}
