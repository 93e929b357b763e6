import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { variablesIn } from '#shared/model/action-headers.ts'
import { api } from '../../../client/client.ts'
import { SetVariableDialog } from '../../../entities/environment/set-variable-dialog.tsx'
import { Problem, Warning } from '../../../ui/field-problem.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { TemplateField } from '../../../ui/template-field.tsx'
import type { RowIn } from '../action-draft.ts'
import { unsetNames } from '../select-actions.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { PartHead, RowProblems, RowText } from './field.tsx'
import { type RowActions, useRows } from './use-rows.ts'

/** The variable that is being set, or null for a new one, which is inserted into the row. */
type Setting = { readonly name: string | null; readonly row: RowIn<'headers'> }

/** The headers of the request. `{{NAME}}` in a value is a variable of the server. */
export function HeaderRows({ form }: { readonly form: DraftForm }) {
  const { headers } = form.draft
  const { data: variables = [] } = useQuery(api.environment.list.queryOptions())
  const [setting, setSetting] = useState<Setting | null>(null)
  const rows = useRows(form, 'headers')
  const unset = unsetNames(variables)
  const names = variables.map(({ name }) => name).filter(name => !unset.has(name))
  return (
    <>
      <PartHead
        title="Headers"
        hint="The server fills in values in braces and never shows them"
        addLabel="Add a header"
        rows={rows}
      />
      {headers.length > 0 && (
        <div ref={rows.list} className="stack" style={{ gap: 6 }}>
          {headers.map((row, index) => (
            <Row
              key={row.id}
              row={row}
              rows={rows}
              form={form}
              names={names}
              unset={unset}
              onRemove={() => rows.remove(row.id, index)}
              onSet={name => setSetting({ name, row })}
            />
          ))}
        </div>
      )}
      {setting !== null && (
        <SetVariableDialog
          name={setting.name}
          onClose={() => setSetting(null)}
          onSet={name => {
            if (setting.name !== null) return
            // Replaces the placeholder that the user began to type.
            const value = `${setting.row.value.replace(/\{\{\w*$/, '')}{{${name}}}`
            rows.change(setting.row.id, 'value', value)
          }}
        />
      )}
    </>
  )
}

function Row(props: {
  readonly row: RowIn<'headers'>
  readonly rows: RowActions<'headers'>
  readonly form: DraftForm
  /** The variables that are set. */
  readonly names: readonly string[]
  readonly unset: ReadonlySet<string>
  readonly onRemove: () => void
  /** Null for a new variable. */
  readonly onSet: (name: string | null) => void
}) {
  const { row, rows, form, names, unset, onRemove, onSet } = props
  const { id, name, value } = row
  // A placeholder is not wrong while it is being typed.
  const isBegun = !form.attempted && /\{\{\w*$/.test(value)
  const valueError = isBegun ? undefined : form.errorOf(`headers.${id}.value`)
  const missing = variablesIn(value).filter(one => !names.includes(one))
  return (
    <div data-row>
      <div className={classes.row}>
        <RowText {...rows.text(row, 'name')} label="Header name" placeholder="X-Api-Key" />
        <div data-field={`headers.${id}.value`}>
          <TemplateField
            label={name === '' ? 'Header value' : `Value of ${name}`}
            value={value}
            onChange={next => rows.change(id, 'value', next)}
            names={names}
            unknownNames={[...new Set([...unset, ...missing])]}
            onNewVariable={() => onSet(null)}
            placeholder="Text, or {{VARIABLE}}"
            isInvalid={valueError !== undefined}
          />
        </div>
        <IconButton icon={X} size="xs" label={`Remove ${name === '' ? 'header' : name}`} onClick={onRemove} />
      </div>
      <RowProblems form={form} names={[`headers.${id}.name`]} />
      {valueError !== undefined && <Problem message={valueError} />}
      {missing.map(one => (
        <Warning key={one}>
          <span>
            {unset.has(one)
              ? `${one} is not set; calls fail until it is.`
              : `${one} is not in Settings. A call looks for it in the service’s own environment.`}
          </span>
          <button type="button" className="link" onClick={() => onSet(one)}>
            Set it
          </button>
          <Link className="link" to="/settings/$section" params={{ section: 'environment' }}>
            Settings
          </Link>
        </Warning>
      ))}
    </div>
  )
}
