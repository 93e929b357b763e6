import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { inputsOf } from '#shared/model/parameter.ts'
import { bodyFormOf, contentTypeOf } from '#shared/request/write-request.ts'
import { Problem } from '../../../ui/field-problem.tsx'
import { useIsMounted } from '../../../ui/focus.ts'
import { formatCount } from '../../../ui/format.ts'
import { useUndo } from '../../../ui/undo.tsx'
import { blankRow, fieldsOf, moveRow, type RowIn } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { BodySwitch } from './body-switch.tsx'
import classes from './definition.module.css'
import { PartHead } from './field.tsx'
import { ParameterRow } from './parameter-row.tsx'
import { useRows } from './use-rows.ts'

type Row = RowIn<'parameters'>

/** The inputs that the assistant supplies, in the order in which they are sent. One of them is open at a time. */
export function ParameterRows({ form }: { readonly form: DraftForm }) {
  const { draft, set, setRows, errorOf } = form
  const { parameters } = draft
  const offerUndo = useUndo()
  const isMounted = useIsMounted()
  const [dragged, setDragged] = useState<number | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const [opened, setOpened] = useOpenedRow(form)
  const rows = useRows(form, 'parameters')
  const { list } = rows
  useEffect(() => {
    if (opened !== null) list.current?.querySelector('[data-open]')?.scrollIntoView({ block: 'nearest' })
  }, [opened, list])

  function add(): void {
    const row = blankRow.parameters()
    setRows('parameters', before => [...before, row])
    form.goTo(`parameters.${row.id}.name`)
  }
  function removeUndoably(row: Row, index: number): void {
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
  function onKeyDown(event: KeyboardEvent<HTMLElement>, row: Row, index: number): void {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    const to = index + (event.key === 'ArrowUp' ? -1 : 1)
    if (!event.altKey) {
      const isOpener = event.target instanceof Element && event.target.matches('[data-opener]')
      if (isOpener && rows.focusIn(Math.max(0, to), '[data-opener]')) event.preventDefault()
      return
    }
    event.preventDefault()
    const focused = document.activeElement
    const moved = moveRow(parameters, row.id, to)
    // An element that moves in the document loses the focus.
    flushSync(() => set({ parameters: moved }))
    if (focused instanceof HTMLElement) focused.focus()
    setAnnouncement(`${row.name} is number ${moved.indexOf(row) + 1} of ${moved.length}`)
  }
  const dragOver = (target: number) =>
    setRows('parameters', before => {
      const to = before.findIndex(({ id }) => id === target)
      return dragged === null ? before : moveRow(before, dragged, to)
    })

  const problem = errorOf('parameters')
  const count = formatCount(inputsOf(parameters).length, 'input')
  const type = contentTypeOf(fieldsOf(draft))
  const isForm = ['urlencoded', 'multipart'].includes(bodyFormOf(type))
  const order = isForm ? `sent as a form, because Content-Type is ${type}` : 'in the order sent'
  return (
    <>
      <PartHead
        title="Parameters"
        hint={parameters.length === 0 ? 'The assistant fills them in' : `${count}, ${order}`}
        addLabel="Add a parameter"
        rows={{ ...rows, add }}
      />
      {problem !== undefined && <Problem message={problem} />}
      {parameters.length > 0 && (
        <div ref={rows.list} className={classes.parameters} data-field="parameters">
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
              data-open={opened === row.id || undefined}
              className={classes.parameter}
              data-dragged={dragged === row.id || undefined}
              onKeyDown={event => onKeyDown(event, row, index)}
              onDragOver={event => {
                event.preventDefault()
                dragOver(row.id)
              }}
              onDrop={event => event.preventDefault()}
            >
              <ParameterRow
                row={row}
                rows={rows}
                form={form}
                isOpen={opened === row.id}
                onToggle={() => setOpened(opened === row.id ? null : row.id)}
                onRemove={() => removeUndoably(row, index)}
                onDrag={isDragged => setDragged(isDragged ? row.id : null)}
              />
            </div>
          ))}
        </div>
      )}
      <BodySwitch form={form} />
      <span className="sr" aria-live="polite">
        {announcement}
      </span>
    </>
  )
}

/** Returns the id of the open row, and a function that opens another. A row with the field to focus next is open. */
function useOpenedRow({ goal }: DraftForm): [number | null, (id: number | null) => void] {
  const [opened, setOpened] = useState<number | null>(null)
  const [, id] = /^parameters\.(\d+)\./.exec(goal ?? '') ?? []
  const wanted = id === undefined ? null : Number(id)
  const keepOpen = useEffectEvent(setOpened)
  useEffect(() => {
    if (wanted !== null) keepOpen(wanted)
  }, [wanted])
  return [wanted ?? opened, setOpened]
}
