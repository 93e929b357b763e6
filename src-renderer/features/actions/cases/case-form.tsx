import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { fieldName } from '#shared/cases/words.ts'
import { CaseRule, FieldType } from '#shared/model/case.ts'
import { useStoredFields } from '../../../ui/draft/use-stored-fields.tsx'
import { isSecretName } from '../../../ui/draft/without-secrets.ts'
import { Problem } from '../../../ui/field-problem.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { Note } from '../../../ui/note.tsx'
import { fieldErrors, problemOf } from '../../../ui/problem.ts'
import { toastUnlessInvalid } from '../../../ui/toasts.tsx'
import { type CaseDraft, type RuleRow, ruleRow, rulesSent } from './case-draft.ts'
import classes from './case-form.module.css'
import type { FieldOf } from './kept-answer.ts'
import { proposeRule, sentValues } from './propose-rules.ts'
import { ruleLabels } from './rule-words.tsx'

const fields = {
  ...{ name: 'name', argumentsText: 'arguments', isStatusOn: 'status', status: 'status' },
  rules: {
    label: 'rules',
    stored: (rows: readonly RuleRow[]) =>
      rows.map(row => (isSecretName(row.path) ? { ...row, value: '' } : row)),
    missing: 'the values of credentials',
  },
}

/** Makes or changes a case: its name, its arguments and what its answer must be. */
export function CaseForm(props: {
  readonly title: string
  /** Names what is typed, which a reload keeps. */
  readonly storedAs: string
  readonly initial: CaseDraft
  readonly submitLabel: string
  /** Whether the arguments can be changed here, or are those of a test. */
  readonly hasArguments: boolean
  /** The answer whose fields can be added; null for none. */
  readonly answer: FieldOf | null
  /** The paths that it has, the one that is probably wanted first. */
  readonly paths: readonly string[]
  readonly hint?: string
  readonly foot?: string
  readonly warning?: string | null
  readonly onSave: (draft: CaseDraft) => Promise<unknown>
  readonly onClose: () => void
}) {
  const { initial, hasArguments, answer, paths, onSave, onClose } = props
  const { values: draft, change, note } = useStoredFields<CaseDraft>(props.storedAs, fields, initial)
  const [sent, setSent] = useState<readonly RuleRow[]>([])
  const save = useMutation({
    mutationFn: () => {
      setSent(rulesSent(draft.rules))
      return onSave(draft)
    },
    onSuccess: onClose,
    onError: error => isNamed(error) || toastUnlessInvalid('The case was not saved', error),
  })
  const found = fieldErrors(save.error)
  const nameProblem = found.name ?? (isNamed(save.error) ? problemOf(save.error).message : undefined)
  const argumentProblem = Object.entries(found).find(([path]) => path.startsWith('arguments'))?.[1]
  const elsewhere = found.expect ?? found['expect.fields'] ?? found['']
  const listId = useId()

  function edit(next: Partial<CaseDraft>): void {
    change(next)
    if (save.isError) save.reset()
  }
  const editRow = (id: string, next: Partial<RuleRow>) =>
    edit({ rules: draft.rules.map(row => (row.id === id ? { ...row, ...next } : row)) })
  function setPath(row: RuleRow, path: string): void {
    const valueText = row.isChosen ? null : (answer?.(path) ?? null)
    const proposed = valueText === null ? {} : proposeRule(path, valueText, sentValues(draft.argumentsText))
    editRow(row.id, { path, ...proposed })
  }
  function add(): void {
    const known = new Set(draft.rules.map(({ path }) => path))
    const [path = ''] = paths.filter(one => !known.has(one))
    const valueText = answer?.(path) ?? null
    const proposed =
      valueText === null
        ? ({ rule: 'exists', value: '' } as const)
        : proposeRule(path, valueText, sentValues(draft.argumentsText))
    const row = ruleRow({ path, ...proposed, isAdded: true })
    flushSync(() => edit({ rules: [...draft.rules, row] }))
    document.getElementById(`path-${row.id}`)?.focus()
  }
  /** Returns the problem of a part of a rule. The service counts those that were sent. */
  function problemOfRow(row: RuleRow, ...parts: readonly string[]): string | undefined {
    const index = sent.findIndex(({ id }) => id === row.id)
    return parts.map(part => found[`expect.fields.${index}.${part}`]).find(message => message !== undefined)
  }

  return (
    <FormDialog
      title={props.title}
      size={hasArguments ? 560 : 480}
      submitLabel={props.submitLabel}
      keys="mod+enter"
      isBusy={save.isPending}
      foot={<span className="sm t2 grow">{props.foot}</span>}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {note}
      <TextInput
        label="Name"
        data-autofocus
        value={draft.name}
        error={nameProblem}
        autoComplete="off"
        onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
      />
      {props.warning != null && <Note tone="warn">{props.warning}</Note>}
      {hasArguments ? (
        <div className="stack">
          <span className="sm w5 t2">Arguments</span>
          <JsonEditor
            label="Arguments"
            value={draft.argumentsText}
            minLines={3}
            maxLines={8}
            foot={false}
            onChange={argumentsText => edit({ argumentsText })}
          />
          {argumentProblem !== undefined && <Problem message={argumentProblem} />}
        </div>
      ) : (
        argumentProblem !== undefined && <Note tone="bad">{argumentProblem}</Note>
      )}
      <fieldset className={classes.expect}>
        <legend className="sm w5 t2">Expect</legend>
        <div className={classes.rules}>
          <div className={classes.rule}>
            <Checkbox
              aria-label="Check the status"
              checked={draft.isStatusOn}
              onChange={({ currentTarget }) => edit({ isStatusOn: currentTarget.checked })}
            />
            <code>status</code>
            <span className="sm t2">equals</span>
            <TextInput
              aria-label="Value of status"
              value={draft.status}
              disabled={!draft.isStatusOn}
              error={found['expect.status']}
              classNames={{ input: 'mono' }}
              placeholder="200 or 2xx"
              onChange={({ currentTarget }) => edit({ status: currentTarget.value })}
            />
          </div>
          {draft.rules.map(row => (
            <Rule
              key={row.id}
              row={row}
              listId={listId}
              pathProblem={problemOfRow(row, 'path', 'rule')}
              valueProblem={problemOfRow(row, 'valueText', 'value')}
              onPath={path => setPath(row, path)}
              onChange={next => editRow(row.id, next)}
            />
          ))}
          <button type="button" className={`link sm ${classes.add}`} onClick={add}>
            Add a field of the answer
          </button>
        </div>
        {elsewhere !== undefined && <Problem message={elsewhere} />}
      </fieldset>
      <datalist id={listId}>
        {paths.map(path => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {props.hint !== undefined && <p className="sm t2">{props.hint}</p>}
    </FormDialog>
  )
}

const isNamed = (error: unknown): boolean => error !== null && problemOf(error).code === 'case_name_taken'

function Rule(props: {
  readonly row: RuleRow
  readonly listId: string
  readonly pathProblem: string | undefined
  readonly valueProblem: string | undefined
  readonly onPath: (path: string) => void
  readonly onChange: (next: Partial<RuleRow>) => void
}) {
  const { row, pathProblem, valueProblem, onPath, onChange } = props
  const { isOn, path, rule, value } = row
  const named = path === '' ? 'the new field' : fieldName(path)
  const shared = { disabled: !isOn, error: valueProblem, 'aria-label': `Value of ${named}` }
  return (
    <div className={classes.rule}>
      <Checkbox
        aria-label={`Check ${named}`}
        checked={isOn}
        onChange={({ currentTarget }) => onChange({ isOn: currentTarget.checked })}
      />
      {row.isAdded ? (
        <TextInput
          id={`path-${row.id}`}
          aria-label="Field of the answer"
          list={props.listId}
          placeholder="customer.name"
          value={path}
          disabled={!isOn}
          error={pathProblem}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          onChange={({ currentTarget }) => onPath(currentTarget.value)}
        />
      ) : (
        <span className="col">
          <code className="cut" title={path}>
            {fieldName(path)}
          </code>
          {pathProblem !== undefined && <Problem message={pathProblem} />}
        </span>
      )}
      <NativeSelect
        aria-label={`Rule of ${named}`}
        value={rule}
        disabled={!isOn}
        data={CaseRule.options.map(option => ({ value: option, label: ruleLabels[option] }))}
        onChange={({ currentTarget }) => {
          const next = CaseRule.parse(currentTarget.value)
          onChange({
            rule: next,
            isChosen: true,
            value: next === 'type' ? 'string' : rule === 'type' ? '' : value,
          })
        }}
      />
      {rule === 'exists' || rule === 'absent' ? (
        <span className="sm t2">{rule === 'exists' ? 'any value' : 'no value'}</span>
      ) : rule === 'type' ? (
        <NativeSelect
          {...shared}
          value={value}
          data={[...FieldType.options]}
          onChange={({ currentTarget }) => onChange({ value: currentTarget.value, isChosen: true })}
        />
      ) : (
        <TextInput
          {...shared}
          value={value}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholders[rule]}
          classNames={{ input: 'mono' }}
          onChange={({ currentTarget }) => onChange({ value: currentTarget.value, isChosen: true })}
        />
      )}
    </div>
  )
}

const placeholders = { equals: '49 or "pending"', matches: 'ORD-*', count: '3' } as const
