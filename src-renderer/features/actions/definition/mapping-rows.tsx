import { TextInput } from '@mantine/core'
import { ChevronRight, X } from 'lucide-react'
import { useId } from 'react'
import type { Action } from '#shared/model/action.ts'
import { RelativeTime } from '../../../ui/badges.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { MappingRow } from '../action-draft.ts'
import { MappingTree } from '../mapping-tree.tsx'
import { useTests } from '../test/use-test-call.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { useActionPlace } from '../use-action-place.ts'
import classes from './definition.module.css'
import { PartHead, Problem } from './field.tsx'
import { useRows } from './use-rows.ts'

/** Which fields of the response the assistant gets, and under what name. */
export function MappingRows(props: { readonly form: DraftForm; readonly action: Action | null }) {
  const { form, action } = props
  const { draft, errorOf } = form
  const { list, addButton, change, add, remove } = useRows<MappingRow>(form, {
    name: 'mapping',
    rowsOf: ({ mapping }) => mapping,
    changeTo: mapping => ({ mapping }),
    blank: id => ({ id, alias: '', path: '' }),
  })
  return (
    <>
      <PartHead
        title="Response mapping"
        hint={
          draft.mapping.length === 0
            ? 'Without one the assistant gets the whole response'
            : 'All that the assistant gets of a response'
        }
        addLabel="Add a field"
        addButton={addButton}
        onAdd={add}
      />
      {draft.mapping.length > 0 && (
        <div ref={list} className={classes.rows}>
          {draft.mapping.map((row, index) => (
            <Row
              key={row.id}
              row={row}
              aliasError={errorOf(`mapping.${row.id}.alias`)}
              pathError={errorOf(`mapping.${row.id}.path`)}
              onChange={(next, field) => change(row.id, next, field)}
              onRemove={() => remove(row.id, index)}
            />
          ))}
        </div>
      )}
      {action !== null && <LastResponse form={form} action={action} />}
    </>
  )
}

function LastResponse(props: { readonly form: DraftForm; readonly action: Action }) {
  const { form, action } = props
  const place = useActionPlace()
  const { newest } = useTests(action.actionId)
  const answered = newest(({ result }) => result.ok && result.response !== null)
  if (answered?.result.response == null)
    return (
      <p className={classes.help}>
        After a test its response is shown here, and a click on a field maps it.{' '}
        <button type="button" className="link" onClick={() => place.setPanel('test')}>
          Go to Test
        </button>
      </p>
    )
  return (
    <>
      <p className={classes.help}>
        Click a field of the last response, <RelativeTime at={answered.at} />, to map it.
      </p>
      <div className={classes.source}>
        <MappingTree text={answered.result.response.body} form={form} />
      </div>
    </>
  )
}

function Row(props: {
  readonly row: MappingRow
  readonly aliasError: string | undefined
  readonly pathError: string | undefined
  readonly onChange: (change: Partial<MappingRow>, field: 'alias' | 'path') => void
  readonly onRemove: () => void
}) {
  const { row, aliasError, pathError, onChange, onRemove } = props
  const errorId = useId()
  return (
    <div data-row>
      <div className={classes.mappingRow}>
        <div data-field={`mapping.${row.id}.alias`}>
          <TextInput
            size="sm"
            classNames={{ input: 'mono' }}
            aria-label="Alias"
            value={row.alias}
            onChange={event => onChange({ alias: event.currentTarget.value }, 'alias')}
            error={aliasError !== undefined}
            aria-describedby={aliasError === undefined ? undefined : `${errorId}-alias`}
            placeholder="refund_id"
            spellCheck={false}
          />
        </div>
        <ChevronRight size={12} className="t3" />
        <div data-field={`mapping.${row.id}.path`}>
          <TextInput
            size="sm"
            classNames={{ input: 'mono' }}
            aria-label={row.alias === '' ? 'Path in the response' : `Path of ${row.alias}`}
            value={row.path}
            onChange={event => onChange({ path: event.currentTarget.value }, 'path')}
            error={pathError !== undefined}
            aria-describedby={pathError === undefined ? undefined : `${errorId}-path`}
            placeholder="refund.id or items[0].sku"
            spellCheck={false}
          />
        </div>
        <IconButton
          icon={X}
          size="xs"
          label={row.alias === '' ? 'Remove field' : `Remove ${row.alias}`}
          onClick={onRemove}
        />
      </div>
      {aliasError !== undefined && <Problem id={`${errorId}-alias`} message={aliasError} />}
      {pathError !== undefined && <Problem id={`${errorId}-path`} message={pathError} />}
    </div>
  )
}
