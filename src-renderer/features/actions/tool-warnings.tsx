import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Action } from '#shared/model/action.ts'
import { type ToolWarning, toolWarnings } from '#shared/model/tool-warning.ts'
import { api } from '../../client/client.ts'
import { warningLabels } from '../../entities/action/warning-labels.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatCount } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { blankRow, fieldsOf } from './action-draft.ts'
import classes from './actions.module.css'
import { proposeMapping } from './propose-mapping.ts'
import type { FreshTest } from './test/shown-test.ts'
import { useTests } from './test/use-test-call.ts'
import type { DraftForm } from './use-action-draft.ts'
import { useActionPlace } from './use-action-place.ts'

const typingPauseMs = 200

/** Says what makes a model choose or use the tool wrongly, as the draft is now, and offers the remedy. */
export function ToolWarnings(props: {
  readonly action: Action
  readonly form: DraftForm
  readonly fresh: FreshTest | undefined
}) {
  const { action, form, fresh } = props
  const { actionId } = action
  const { connectionId } = useCurrentConnection()
  const place = useActionPlace()
  const response = useLastResponse(actionId, fresh)
  const fields = fieldsOf(form.draft)
  const { toolName, description } = fields
  const [askedName] = useDebouncedValue(toolName, typingPauseMs)
  const [askedDescription] = useDebouncedValue(description, typingPauseMs)
  const { data: alike = [] } = useQuery(
    api.tools.lookAlikes.queryOptions({
      input: { connectionId, actionId, toolName: askedName, description: askedDescription },
      placeholderData: keepPreviousData,
    }),
  )
  const warnings = [...toolWarnings(fields, response?.bytes ?? null), ...alike]
  return warnings.map(warning => {
    const { problem, remedy } = warningLabels(warning)
    return (
      <Note key={problem} tone="warn">
        <div className="row">
          <div className="grow">
            <p className="w5">{problem}</p>
            <p className="t2">{remedy}</p>
          </div>
          <Remedy warning={warning} onEdit={() => place.setPanel('definition')} />
        </div>
        {warning.code === 'large_response' && response !== null && (
          <Proposal body={response.body} form={form} onTest={() => place.setPanel('test')} />
        )}
      </Note>
    )
  })
}

function Remedy({ warning, onEdit }: { readonly warning: ToolWarning; readonly onEdit: () => void }) {
  if (warning.code === 'large_response') return null
  if (warning.code === 'look_alike')
    return (
      <Link
        className="link nowrap"
        to="/connections/$connectionId/actions"
        params={{ connectionId: warning.connectionId }}
        search={{ action: warning.actionId, panel: 'definition' }}
      >
        Open it
      </Link>
    )
  return (
    <Button size="xs" onClick={onEdit}>
      Edit
    </Button>
  )
}

/** Returns the newest successful response of the action; null for none. */
function useLastResponse(actionId: string, fresh: FreshTest | undefined) {
  const { tests } = useTests(actionId)
  const newest = tests.find(({ result }) => result.ok)
  // The page has the whole body of its own test. The service keeps 64 KiB.
  const result =
    fresh?.result.ok === true && (newest?.callId ?? fresh.callId) === fresh.callId ? fresh : newest
  return result?.result.response ?? null
}

/** Proposes a mapping of the response, which one click puts into the draft. */
function Proposal(props: { readonly body: string; readonly form: DraftForm; readonly onTest: () => void }) {
  const { body, form, onTest } = props
  const proposed = useMemo(() => proposeMapping(body), [body])
  if (proposed.length === 0)
    return (
      <div className={classes.proposal}>
        <Button size="xs" onClick={onTest}>
          Map fields in Test
        </Button>
      </div>
    )
  const take = () =>
    form.set({ responseMapping: proposed.map(row => ({ ...blankRow.responseMapping(), ...row })) })
  return (
    <div className={classes.proposal}>
      <dl className={classes.facts}>
        {proposed.map(({ alias, path }) => (
          <Fact key={alias} name={<code>{alias}</code>}>
            <code className="t2">{path}</code>
          </Fact>
        ))}
      </dl>
      <div>
        <Button size="xs" onClick={take}>
          Take this mapping of {formatCount(proposed.length, 'field')}
        </Button>
      </div>
    </div>
  )
}
