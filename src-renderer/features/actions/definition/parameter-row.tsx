import { Checkbox, NativeSelect } from '@mantine/core'
import { ChevronDown, ChevronRight, GripVertical, Lock, X } from 'lucide-react'
import type { MouseEvent } from 'react'
import { isConstant, isSnakeCase, ParameterType, wireNameOf } from '#shared/model/parameter.ts'
import { isSimple, parameterKinds } from '#shared/model/parameter-kinds.ts'
import { placeOf } from '#shared/request/write-request.ts'
import { nodeOf } from '../../../entities/action/schema-node.ts'
import { Warning } from '../../../ui/field-problem.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { fieldsOf, type RowIn } from '../action-draft.ts'
import { parameterKeys } from '../draft-issues.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { RowProblems, RowText } from './field.tsx'
import { SentAs } from './sent-as.tsx'
import type { RowActions } from './use-rows.ts'
import { sendingWords } from './written-as.ts'

type RowProps = {
  readonly row: RowIn<'parameters'>
  readonly rows: RowActions<'parameters'>
  readonly form: DraftForm
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onRemove: () => void
  readonly onDrag: (isDragged: boolean) => void
}

/** A parameter: its name, type and description, and in words how it is sent. Open, all of it can be changed. */
export function ParameterRow(props: RowProps) {
  const { row, rows, form, isOpen, onToggle, onRemove } = props
  const { id, name, required } = row
  const isUnusual = name !== '' && form.errorOf(`parameters.${id}.name`) === undefined && !isSnakeCase(name)
  const label = name === '' ? 'the parameter' : name
  return (
    <>
      <div className={classes.parameterRow}>
        <Grip label={label} isConstant={isConstant(row)} onDrag={props.onDrag} />
        {isOpen ? <OpenCells {...props} label={label} /> : <ClosedCells {...props} />}
        {isConstant(row) ? (
          <span className="xs t3">Constant</span>
        ) : (
          <div data-field={`parameters.${id}.required`} className={classes.required}>
            <Checkbox
              aria-label={`${label} is required`}
              checked={required}
              onChange={event => rows.change(id, 'required', event.currentTarget.checked)}
            />
          </div>
        )}
        <IconButton icon={X} size="xs" label={`Remove ${label}`} onClick={onRemove} />
        <button
          type="button"
          data-opener
          className={classes.opener}
          aria-expanded={isOpen}
          aria-label={`How ${label} is sent`}
          onClick={onToggle}
        >
          {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
        </button>
      </div>
      <div className={classes.below}>
        {isOpen && <SentAs row={row} rows={rows} form={form} />}
        <RowProblems form={form} names={parameterKeys(id)} />
        {isUnusual && isOpen && <Warning>{name} is not in snake_case, which is recommended.</Warning>}
      </div>
    </>
  )
}

function Grip(props: {
  readonly label: string
  readonly isConstant: boolean
  readonly onDrag: (isDragged: boolean) => void
}) {
  const { label, onDrag } = props
  return (
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
      {props.isConstant ? <Lock size={13} /> : <GripVertical />}
    </button>
  )
}

/** The texts of a row. A click opens it at the field that was clicked. */
function ClosedCells({ row, form }: RowProps) {
  const { id, name, description, type } = row
  const action = fieldsOf(form.draft)
  const isInPath = placeOf(row, action) === 'path'
  const openAt = (field: string) => (event: MouseEvent) => {
    event.preventDefault()
    form.goTo(`parameters.${id}.${field}`)
  }
  return (
    // The button at the end of the row does the same for the keyboard.
    <>
      {/* biome-ignore-start lint/a11y/useKeyWithClickEvents: see above */}
      {/* biome-ignore-start lint/a11y/noStaticElementInteractions: see above */}
      <span className={classes.cell} onClick={openAt('name')}>
        <code className={isInPath ? classes.chip : 'cut'}>
          {isInPath ? `{${wireNameOf(row)}}` : name || 'no name'}
        </code>
        <span className={classes.words}>
          {sendingWords(row, action).map(({ text, code }, index) => (
            <span key={text}>
              {index > 0 && ' · '}
              {text}
              {code !== undefined && <code>{code}</code>}
            </span>
          ))}
        </span>
      </span>
      <code className={`${classes.cell} t2 cut`} onClick={openAt('type')}>
        {isSimple(row) ? type : nodeOf(row.schema, row.schema).label}
      </code>
      <span className={`${classes.cell} ${classes.about}`} onClick={openAt('description')}>
        {description || <span className="t3">no description</span>}
      </span>
      {/* biome-ignore-end lint/a11y/noStaticElementInteractions: see above */}
      {/* biome-ignore-end lint/a11y/useKeyWithClickEvents: see above */}
    </>
  )
}

function OpenCells({ row, rows, label }: RowProps & { readonly label: string }) {
  const { id, type } = row
  function changeType(next: ParameterType): void {
    const { schema } = row
    const schemaType = parameterKinds[next].schemaType
    // A schema that has a type of its own follows.
    const follows = schema !== undefined && typeof schema.type === 'string'
    rows.patch(id, { type: next, ...(follows && { schema: { ...schema, type: schemaType } }) })
  }
  return (
    <>
      <RowText {...rows.text(row, 'name')} label="Parameter name" />
      <div data-field={`parameters.${id}.type`}>
        <NativeSelect
          size="sm"
          classNames={{ input: 'mono' }}
          aria-label={`Type of ${label}`}
          rightSection={<ChevronDown size={12} className="t3" />}
          data={ParameterType.options}
          value={type}
          onChange={event => changeType(ParameterType.parse(event.currentTarget.value))}
        />
      </div>
      <RowText
        {...rows.text(row, 'description')}
        label={`Description of ${label}`}
        placeholder="What the assistant should put here"
        isProse
      />
    </>
  )
}
