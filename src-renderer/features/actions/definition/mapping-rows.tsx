import { ChevronRight, X } from 'lucide-react'
import type { Action } from '#shared/model/action.ts'
import { RelativeTime } from '../../../ui/badges.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MappingTree } from '../mapping-tree.tsx'
import { useTests } from '../test/use-test-call.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { useActionPlace } from '../use-action-place.ts'
import classes from './definition.module.css'
import { PartHead, RowProblems, RowText } from './field.tsx'
import { useRows } from './use-rows.ts'

/** The fields of the response that the assistant gets, and their names. */
export function MappingRows(props: { readonly form: DraftForm; readonly action: Action | null }) {
  const { form, action } = props
  const { responseMapping } = form.draft
  const rows = useRows(form, 'responseMapping')
  return (
    <>
      <PartHead
        title="Response mapping"
        hint={
          responseMapping.length === 0
            ? 'Without a mapping, the assistant gets the whole response'
            : 'The assistant gets only these fields of a response'
        }
        addLabel="Add a field"
        rows={rows}
      />
      {responseMapping.length > 0 && (
        <div ref={rows.list} className="stack" style={{ gap: 6 }}>
          {responseMapping.map((row, index) => (
            <div data-row key={row.id}>
              <div className={classes.row} data-arrow>
                <RowText {...rows.text(row, 'alias')} label="Alias" placeholder="refund_id" />
                <ChevronRight size={12} className="t3" />
                <RowText
                  {...rows.text(row, 'path')}
                  label={row.alias === '' ? 'Path in the response' : `Path of ${row.alias}`}
                  placeholder="refund.id or items[0].sku"
                />
                <IconButton
                  icon={X}
                  size="xs"
                  label={`Remove ${row.alias === '' ? 'field' : row.alias}`}
                  onClick={() => rows.remove(row.id, index)}
                />
              </div>
              <RowProblems
                form={form}
                names={[`responseMapping.${row.id}.alias`, `responseMapping.${row.id}.path`]}
              />
            </div>
          ))}
        </div>
      )}
      {responseMapping.length > 0 && (
        <p className="sm t3">
          A path can also be <code>$status</code>, a header such as <code>$headers.location</code>, or{' '}
          <code>$body</code>, the whole response.
        </p>
      )}
      {action !== null && <LastResponse form={form} action={action} />}
    </>
  )
}

function LastResponse(props: { readonly form: DraftForm; readonly action: Action }) {
  const { form, action } = props
  const place = useActionPlace()
  const { tests } = useTests(action.actionId)
  const answered = tests.find(({ result }) => result.ok && result.response !== null)
  if (answered?.result.response == null)
    return (
      <p className="sm t3">
        After a test, click a field of its response here to map it.{' '}
        <button type="button" className="link" onClick={() => place.setPanel('test')}>
          Go to Test
        </button>
      </p>
    )
  return (
    <>
      <p className="sm t3">
        Click a field of the last response, <RelativeTime at={answered.at} />, to map it.
      </p>
      <div className={classes.source}>
        <MappingTree text={answered.result.response.body} form={form} />
      </div>
    </>
  )
}
