import { Table } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConnectionWatch, PayloadField } from '#shared/model/alert.ts'
import { formatCount } from '../../ui/format.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './alerts.module.css'

const signs: Readonly<Record<PayloadField['change'], { readonly sign: string; readonly word: string }>> = {
  type: { sign: '±', word: 'Another type' },
  missing: { sign: '−', word: 'Missing' },
  added: { sign: '+', word: 'Added' },
}

type Differences = {
  readonly of: NonNullable<ConnectionWatch['now']['payloads']>[number]
  readonly muteEvent: (eventName: string) => void
  /** Null where events are not stored, so that none can become the sample. */
  readonly makeSample: ((eventName: string) => void) | null
}

/** Shows how the newest events of a name differ from their sample. */
export function PayloadDifferences({ of, muteEvent, makeSample }: Differences) {
  const { eventName, of: compared, differing, fields, workflows } = of
  return (
    <section aria-label={`${eventName} differs from its sample`}>
      <h3 className="h3">
        <span className="mono">{eventName}</span> differs from its sample
      </h3>
      <p className="sm t2">
        {differing} of the last {compared}.{' '}
        {workflows.map((workflowId, index) => (
          <span key={workflowId}>
            {index === 0 ? 'Read by ' : ', '}
            <Link to="/workflows/$workflowId" params={{ workflowId }}>
              {workflows.length === 1 ? 'a workflow' : `workflow ${index + 1}`}
            </Link>
          </span>
        ))}
      </p>
      <Table className={classes.fields} aria-label={formatCount(fields.length, 'field')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Sample</Table.Th>
            <Table.Th>Now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ path, change, sample, now }) => (
            <Table.Tr key={path}>
              <Table.Td className="mono">
                <span title={signs[change].word}>
                  <span aria-hidden="true">{signs[change].sign}</span>
                  <span className="sr">{signs[change].word}</span> {path}
                </span>
              </Table.Td>
              <Table.Td className="mono">{sample ?? <span className="t3">absent</span>}</Table.Td>
              <Table.Td className="mono">{now ?? <span className="t3">absent</span>}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <div className={classes.buttons}>
        {makeSample !== null && (
          <WriteButton onClick={() => makeSample(eventName)}>Make this the sample</WriteButton>
        )}
        <WriteButton variant="subtle" onClick={() => muteEvent(eventName)}>
          Mute for this event
        </WriteButton>
      </div>
    </section>
  )
}
