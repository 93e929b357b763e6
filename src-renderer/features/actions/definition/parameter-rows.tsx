import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { ChevronDown, GripVertical, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { isSnakeCase, ParameterType } from '#shared/model/parameter.ts'
import { useIsMounted } from '../../../ui/focus.ts'
import { formatCount } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useUndo } from '../../../ui/undo.tsx'
import { moveRow, type ParameterRow } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { PartHead, Problem, Warning } from './field.tsx'
import { useRows } from './use-rows.ts'

type ParameterField = 'name' | 'type' | 'description' | 'required'

/** The inputs that the assistant supplies, in the order in which a GET sends them. */
export function ParameterRows({ form }: { readonly form: DraftForm }) {
  const { draft, set, errorOf } = form
  const { parameters } = draft
  const offerUndo = useUndo()
  const isMounted = useIsMounted()
  const [dragged, setDragged] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const { list, addButton, change, add, remove } = useRows<ParameterRow>(form, {
    name: 'parameters',
    rowsOf: draft => draft.parameters,
    changeTo: next => ({ parameters: next }),
    blank: id => ({ id, name: '', type: 'string', description: '', required: true }),
  })

  function removeUndoably(row: ParameterRow, index: number): void {
    remove(row.id, index)
    if (row.name === '') return
    offerUndo({
      done: `Parameter “${row.name}” removed`,
      undone: `Parameter “${row.name}” is back`,
      async undo() {
        if (!isMounted()) throw new Error('Its definition is not open any more.')
        set(before => {
          // Discarding all changes has brought it back already.
          if (before.parameters.some(({ name }) => name === row.name)) return {}
          const back = { ...row, id: before.nextId }
          return { parameters: before.parameters.toSpliced(index, 0, back), nextId: before.nextId + 1 }
        })
      },
    })
  }
  function move(id: number, by: 1 | -1): void {
    const focused = document.activeElement
    const moved = moveRow(parameters, id, by)
    // Moved in the document, a row loses the keyboard.
    flushSync(() => set({ parameters: moved }))
    if (focused instanceof HTMLElement) focused.focus()
    const place = moved.findIndex(row => row.id === id)
    setSaid(`${moved[place]?.name} is number ${place + 1} of ${moved.length}`)
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>, row: ParameterRow): void {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    move(row.id, event.key === 'ArrowUp' ? -1 : 1)
  }
  /** Puts the dragged row in the place of another. */
  function dragOver(target: number): void {
    if (dragged === null || dragged === target) return
    set(before => {
      const from = before.parameters.findIndex(({ id }) => id === dragged)
      const to = before.parameters.findIndex(({ id }) => id === target)
      const row = before.parameters[from]
      if (row === undefined || to === -1) return {}
      return { parameters: before.parameters.toSpliced(from, 1).toSpliced(to, 0, row) }
    })
  }

  const count = formatCount(parameters.length, 'input')
  return (
    <>
      <PartHead
        title="Parameters"
        hint={parameters.length === 0 ? 'What the assistant fills in' : `${count}, in the order sent`}
        addLabel="Add a parameter"
        addButton={addButton}
        onAdd={add}
      />
      {errorOf('parameters') !== undefined && <Problem message={errorOf('parameters') ?? ''} />}
      {parameters.length > 0 && (
        <div ref={list} className={classes.rows} data-field="parameters">
          <div className={classes.parameterHead} aria-hidden="true">
            <span />
            <span>Name</span>
            <span>Type</span>
            <span>Description</span>
            <span>Required</span>
            <span />
          </div>
          {parameters.map((row, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: its fields and its grip have the keyboard
            <div
              key={row.id}
              data-row
              className={classes.parameter}
              data-dragged={dragged === row.id || undefined}
              onKeyDown={event => onKeyDown(event, row)}
              onDragOver={event => {
                event.preventDefault()
                dragOver(row.id)
              }}
              onDrop={event => event.preventDefault()}
            >
              <Row
                row={row}
                form={form}
                onChange={(next, field) => change(row.id, next, field)}
                onRemove={() => removeUndoably(row, index)}
                onDrag={isDragged => setDragged(isDragged ? row.id : null)}
              />
            </div>
          ))}
        </div>
      )}
      <span className="sr" aria-live="polite">
        {said}
      </span>
    </>
  )
}

function Row(props: {
  readonly row: ParameterRow
  readonly form: DraftForm
  readonly onChange: (change: Partial<ParameterRow>, field: ParameterField) => void
  readonly onRemove: () => void
  readonly onDrag: (isDragged: boolean) => void
}) {
  const { row, form, onChange, onRemove, onDrag } = props
  const { id, name, type, description, required } = row
  const errorId = useId()
  const nameError = form.errorOf(`parameters.${id}.name`)
  const descriptionError = form.errorOf(`parameters.${id}.description`)
  const isOdd = name !== '' && nameError === undefined && !isSnakeCase(name)
  const called = name === '' ? 'the parameter' : name
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
          aria-label={`Move ${called}: Alt with the up and down arrows`}
        >
          <GripVertical />
        </button>
        <div data-field={`parameters.${id}.name`}>
          <TextInput
            size="sm"
            classNames={{ input: 'mono' }}
            aria-label="Parameter name"
            value={name}
            onChange={event => onChange({ name: event.currentTarget.value }, 'name')}
            error={nameError !== undefined}
            aria-describedby={nameError === undefined ? undefined : `${errorId}-name`}
            spellCheck={false}
          />
        </div>
        <NativeSelect
          size="sm"
          classNames={{ input: 'mono' }}
          aria-label={`Type of ${called}`}
          rightSection={<ChevronDown size={12} className="t3" />}
          data={ParameterType.options}
          value={type}
          onChange={event => onChange({ type: ParameterType.parse(event.currentTarget.value) }, 'type')}
        />
        <div data-field={`parameters.${id}.description`}>
          <TextInput
            size="sm"
            aria-label={`Description of ${called}`}
            value={description}
            onChange={event => onChange({ description: event.currentTarget.value }, 'description')}
            error={descriptionError !== undefined}
            aria-describedby={descriptionError === undefined ? undefined : `${errorId}-description`}
            placeholder="What the assistant should put here"
          />
        </div>
        <Checkbox
          className={classes.required}
          aria-label={`${called} is required`}
          checked={required}
          onChange={event => onChange({ required: event.currentTarget.checked }, 'required')}
        />
        <IconButton icon={X} size="xs" label={`Remove ${called}`} onClick={onRemove} />
      </div>
      {(nameError !== undefined || descriptionError !== undefined || isOdd) && (
        <div className={classes.below}>
          {nameError !== undefined && <Problem id={`${errorId}-name`} message={nameError} />}
          {descriptionError !== undefined && (
            <Problem id={`${errorId}-description`} message={descriptionError} />
          )}
          {isOdd && <Warning>{name} is not snake_case, the convention here.</Warning>}
        </div>
      )}
    </>
  )
}
