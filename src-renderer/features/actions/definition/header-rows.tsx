import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert, X } from 'lucide-react'
import { useId, useState } from 'react'
import { variablesIn } from '#shared/model/action-headers.ts'
import { api } from '../../../client/client.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { TemplateField } from '../../../ui/template-field.tsx'
import { SetVariableDialog } from '../../environment/set-variable-dialog.tsx'
import type { HeaderRow } from '../action-draft.ts'
import { unsetNames } from '../select-actions.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { PartHead, Problem } from './field.tsx'
import { useRows } from './use-rows.ts'

/** A variable that is about to be set: which, and the row that is to use it if it is new. */
type Setting = { readonly name: string | null; readonly rowId: number }

/** Extra headers of the request; `{{NAME}}` in a value is a variable of the server. */
export function HeaderRows({ form }: { readonly form: DraftForm }) {
  const { draft } = form
  const { data: variables = [] } = useQuery(api.environment.list.queryOptions())
  const [setting, setSetting] = useState<Setting | null>(null)
  const { list, addButton, change, add, remove } = useRows<HeaderRow>(form, {
    name: 'headers',
    rowsOf: ({ headers }) => headers,
    changeTo: headers => ({ headers }),
    blank: id => ({ id, name: '', value: '' }),
  })
  const unset = unsetNames(variables)
  const known = variables.map(({ name }) => name).filter(name => !unset.has(name))

  return (
    <>
      <PartHead
        title="Headers"
        hint="Values in braces are filled in on the server and never shown"
        addLabel="Add a header"
        addButton={addButton}
        onAdd={add}
      />
      {draft.headers.length > 0 && (
        <div ref={list} className={classes.rows}>
          {draft.headers.map((row, index) => (
            <Row
              key={row.id}
              row={row}
              form={form}
              names={known}
              unset={unset}
              onChange={(next, field) => change(row.id, next, field)}
              onRemove={() => remove(row.id, index)}
              onSet={name => setSetting({ name, rowId: row.id })}
            />
          ))}
        </div>
      )}
      {setting !== null && (
        <SetVariableDialog
          name={setting.name}
          onClose={() => setSetting(null)}
          onSet={name => {
            const row = draft.headers.find(({ id }) => id === setting.rowId)
            if (setting.name !== null || row === undefined) return
            // In the place of what was begun to be typed.
            change(row.id, { value: `${row.value.replace(/\{\{\w*$/, '')}{{${name}}}` }, 'value')
          }}
        />
      )}
    </>
  )
}

function Row(props: {
  readonly row: HeaderRow
  readonly form: DraftForm
  readonly names: readonly string[]
  readonly unset: ReadonlySet<string>
  readonly onChange: (change: Partial<HeaderRow>, field: 'name' | 'value') => void
  readonly onRemove: () => void
  /** Null for a new variable. */
  readonly onSet: (name: string | null) => void
}) {
  const { row, form, names, unset, onChange, onRemove, onSet } = props
  const { id, name, value } = row
  const errorId = useId()
  const nameError = form.errorOf(`headers.${id}.name`)
  // While a placeholder is being typed it is not wrong yet.
  const isBegun = !form.attempted && /\{\{\w*$/.test(value)
  const valueError = isBegun ? undefined : form.errorOf(`headers.${id}.value`)
  const used = variablesIn(value)
  const missing = used.filter(one => !names.includes(one))
  return (
    <div data-row>
      <div className={classes.headerRow}>
        <div data-field={`headers.${id}.name`}>
          <TextInput
            size="sm"
            classNames={{ input: 'mono' }}
            aria-label="Header name"
            value={name}
            onChange={event => onChange({ name: event.currentTarget.value }, 'name')}
            error={nameError !== undefined}
            aria-describedby={nameError === undefined ? undefined : errorId}
            placeholder="X-Api-Key"
            spellCheck={false}
          />
        </div>
        <div data-field={`headers.${id}.value`}>
          <TemplateField
            label={name === '' ? 'Header value' : `Value of ${name}`}
            value={value}
            onChange={next => onChange({ value: next }, 'value')}
            names={names}
            unknownNames={[...new Set([...unset, ...missing])]}
            onNewVariable={() => onSet(null)}
            placeholder="Text, or {{VARIABLE}}"
            isInvalid={valueError !== undefined}
          />
        </div>
        <IconButton
          icon={X}
          size="xs"
          label={name === '' ? 'Remove header' : `Remove ${name}`}
          onClick={onRemove}
        />
      </div>
      {nameError !== undefined && <Problem id={errorId} message={nameError} />}
      {valueError !== undefined && <Problem message={valueError} />}
      {missing.map(one => (
        <p key={one} className={classes.warning}>
          <TriangleAlert />
          <span>
            {unset.has(one)
              ? `${one} is not set; calls fail until it is.`
              : `${one} is not in Settings; the service’s own environment is looked at when it is called.`}
          </span>
          <button type="button" className="link" onClick={() => onSet(one)}>
            Set it
          </button>
          <Link className="link" to="/settings/$section" params={{ section: 'environment' }}>
            Settings
          </Link>
        </p>
      ))}
    </div>
  )
}
