import { Checkbox, NativeSelect } from '@mantine/core'
import { ChevronDown, GripVertical, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { isSnakeCase, ParameterType } from '#shared/model/parameter.ts'
import { Problem, Warning } from '../../../ui/field-problem.tsx'
import { useIsMounted } from '../../../ui/focus.ts'
import { formatCount } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useUndo } from '../../../ui/undo.tsx'
import { moveRow, type RowIn } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { PartHead, RowProblems, RowText } from './field.tsx'
import { type RowActions, useRows } from './use-rows.ts'

type ParameterRow = RowIn<'parameters'>

/** The inputs that the assistant supplies, in the order in which a GET sends them. */
export function ParameterRows({ form }: { readonly form: DraftForm }) {
  const { draft, set, setRows, errorOf } = form
  const { parameters } = draft
  const offerUndo = useUndo()
  const isMounted = useIsMounted()
  const [dragged, setDragged] = useState<number | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const rows = useRows(form, 'parameters')

  function removeUndoably(row: ParameterRow, index: number): void {
    rows.remove(row.id, index)
    if (row.name === '') return
    offerUndo({
      done: `Parameter “${row.name}” removed`,
      undone: `Parameter “${row.name}” is back`,
      async undo() {
        if (!isMounted()) throw new Error('The definition is closed.')
        set(before => {
          // “Discard” has already restored it.
          if (before.parameters.some(({ name }) => name === row.name)) return {}
          return { parameters: before.parameters.toSpliced(index, 0, row) }
        })
      },
    })
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>, row: ParameterRow, index: number): void {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    const focused = document.activeElement
    const moved = moveRow(parameters, row.id, index + (event.key === 'ArrowUp' ? -1 : 1))
    // An element that moves in the document loses the focus.
    flushSync(() => set({ parameters: moved }))
    if (focused instanceof HTMLElement) focused.focus()
    setAnnouncement(`${row.name} is number ${moved.indexOf(row) + 1} of ${moved.length}`)
  }
  const dragOver = (target: number) =>
    setRows('parameters', before =>
      dragged === null
        ? before
        : moveRow(
            before,
            dragged,
            before.findIndex(({ id }) => id === target),
          ),
    )

  const problem = errorOf('parameters')
  const count = formatCount(parameters.length, 'input')
  return (
    <>
      <PartHead
        title="Parameters"
        hint={parameters.length === 0 ? 'The assistant fills them in' : `${count}, in the order sent`}
        addLabel="Add a parameter"
        rows={rows}
      />
      {problem !== undefined && <Problem message={problem} />}
      {parameters.length > 0 && (
        <div ref={rows.list} className="stack" style={{ gap: 6 }} data-field="parameters">
          <div className={classes.parameterHead} aria-hidden="true">
            <span />
            <span>Name</span>
            <span>Type</span>
            <span>Description</span>
            <span>Required</span>
          </div>
          {parameters.map((row, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: its fields and its grip take the keyboard
            <div
              key={row.id}
              data-row
              className={classes.parameter}
              data-dragged={dragged === row.id || undefined}
              onKeyDown={event => onKeyDown(event, row, index)}
              onDragOver={event => {
                event.preventDefault()
                dragOver(row.id)
              }}
              onDrop={event => event.preventDefault()}
            >
              <Row
                row={row}
                rows={rows}
                form={form}
                onRemove={() => removeUndoably(row, index)}
                onDrag={isDragged => setDragged(isDragged ? row.id : null)}
              />
            </div>
          ))}
        </div>
      )}
      <span className="sr" aria-live="polite">
        {announcement}
      </span>
    </>
  )
}

function Row(props: {
  readonly row: ParameterRow
  readonly rows: RowActions<'parameters'>
  readonly form: DraftForm
  readonly onRemove: () => void
  readonly onDrag: (isDragged: boolean) => void
}) {
  const { row, rows, form, onRemove, onDrag } = props
  const { id, name, type, required } = row
  const [nameKey, descriptionKey] = [`parameters.${id}.name`, `parameters.${id}.description`]
  const isUnusual = name !== '' && form.errorOf(nameKey) === undefined && !isSnakeCase(name)
  const label = name === '' ? 'the parameter' : name
  return (
    <>
      <div className={classes.parameterRow}>
        <button
          type="button"
          className={classes.grip}
          draggable
          onDragStart={event => {
            event.dataTransfer.effectAllowed = 'move'
            onDrag(true)
          }}
          onDragEnd={() => onDrag(false)}
          aria-label={`Move ${label}: Alt with the up and down arrows`}
        >
          <GripVertical />
        </button>
        <RowText {...rows.text(row, 'name')} label="Parameter name" />
        <NativeSelect
          size="sm"
          classNames={{ input: 'mono' }}
          aria-label={`Type of ${label}`}
          rightSection={<ChevronDown size={12} className="t3" />}
          data={ParameterType.options}
          value={type}
          onChange={event => rows.change(id, 'type', ParameterType.parse(event.currentTarget.value))}
        />
        <RowText
          {...rows.text(row, 'description')}
          label={`Description of ${label}`}
          placeholder="What the assistant should put here"
          isProse
        />
        <Checkbox
          className={classes.required}
          aria-label={`${label} is required`}
          checked={required}
          onChange={event => rows.change(id, 'required', event.currentTarget.checked)}
        />
        <IconButton icon={X} size="xs" label={`Remove ${label}`} onClick={onRemove} />
      </div>
      <div className={classes.below}>
        <RowProblems form={form} names={[nameKey, descriptionKey]} />
        {isUnusual && <Warning>{name} is not in snake_case, which is recommended.</Warning>}
      </div>
    </>
  )
}
