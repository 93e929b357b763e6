import { Button, SegmentedControl } from '@mantine/core'
import { Copy } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { TestRecord } from '#shared/model/call.ts'
import { callNotes } from '../../../entities/action/call-notes.ts'
import { Counted } from '../../../ui/badges.tsx'
import { JsonBlock } from '../../../ui/code-block.tsx'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { FindField } from '../../../ui/find-field.tsx'
import { HeaderTable, RequestView } from '../../../ui/http-message.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { dotPath, readJsonNodes } from '../../../ui/json-nodes.ts'
import { Note } from '../../../ui/note.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { MapButton, MappingTree } from '../mapping-tree.tsx'
import type { DraftForm } from '../use-action-draft.ts'
import { MappedResult } from './mapped-result.tsx'
import type { ShownTest } from './shown-test.ts'
import classes from './test.module.css'
import { TestSummary } from './test-summary.tsx'

type View = 'response' | 'raw' | 'headers' | 'request'

/** Shows a response: status, time, size, body, and what the assistant would get of it. */
export function TestResult(props: {
  readonly test: ShownTest
  readonly tests: readonly TestRecord[]
  readonly form: DraftForm
  readonly onShowTest: (callId: string | null) => void
  readonly onUseArguments: (test: TestRecord) => void
  /** Receives the path of the field that is selected. */
  readonly onSelect: (path: string | null) => void
}) {
  const { test, tests, form, onShowTest, onUseArguments } = props
  const { response, request, error } = test.result
  const [view, setView] = useState<View>('response')
  const [search, setSearch] = useState<string | null>(null)
  const body = response?.body ?? ''
  const nodes = useMemo(() => readJsonNodes(body), [body])
  if (response === null) return null
  const { headers } = response
  const record = tests.find(({ callId }) => callId === test.callId)

  const copyBody = () => void copyWithToast(body, 'Response')
  return (
    <>
      <TestSummary test={test} tests={tests} onShowTest={onShowTest}>
        {record !== undefined && record !== tests[0] && (
          <div className="row" style={{ marginTop: 10 }}>
            <span className="sm t3">An earlier test.</span>
            <Button size="xs" onClick={() => onUseArguments(record)}>
              Use its arguments
            </Button>
            <Button size="xs" variant="subtle" onClick={() => onShowTest(tests[0]?.callId ?? null)}>
              Back to the newest
            </Button>
          </div>
        )}
      </TestSummary>
      <div className={`row ${classes.views}`}>
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={setView}
          data={optionsOf({
            response: 'Response',
            raw: 'Raw',
            headers: <Counted label="Headers" count={Object.keys(headers).length} />,
            request: 'Request',
          })}
        />
        <span className="push" />
        {view === 'response' && nodes !== null && (
          <FindField label="Find in the response" value={search} onChange={setSearch} />
        )}
        <IconButton icon={Copy} size="xs" label="Copy the response" onClick={copyBody} />
      </div>
      {test.shortened && (
        <div className={classes.notice}>
          <Note>Only the first 64 KiB of each text of an earlier test are kept.</Note>
        </div>
      )}
      {callNotes(test.result).map(note => (
        <div key={note} className={classes.notice}>
          <Note>{note}</Note>
        </div>
      ))}
      {nodes === null && isBinary(test.result.result) && (
        <div className={classes.notice}>
          <Note>The body is not text. It is shown here, and given to the assistant, as base64.</Note>
        </div>
      )}
      {error !== null && (
        <div className={classes.notice}>
          <Note tone="bad">
            {error.message} <code>{error.code}</code>
          </Note>
        </div>
      )}
      <div className={`${classes.view} ${view === 'headers' || view === 'request' ? classes.scrolls : ''}`}>
        {view === 'response' &&
          (body === '' ? (
            <p className="sm t3">The response has no body.</p>
          ) : (
            <MappingTree
              text={body}
              nodes={nodes}
              form={form}
              search={search ?? ''}
              onSelect={props.onSelect}
            />
          ))}
        {view === 'raw' && <JsonBlock text={body} label="Raw response" wrap />}
        {view === 'headers' && (
          <HeaderTable
            headers={Object.entries(headers)}
            label="Header fields of the response"
            renderAction={name => {
              const path = dotPath(['$headers', name])
              return path && <MapButton path={path} label={name} form={form} />
            }}
          />
        )}
        {view === 'request' && request !== null && <RequestView request={request} />}
      </div>
      <MappedResult response={response} nodes={nodes} form={form} />
    </>
  )
}

/** Returns whether the service has replaced a binary body with its base64. */
function isBinary(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'note' in result && 'result' in result
}
