import { Button, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Problem } from '../../../ui/field-problem.tsx'
import type { Part } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import type { RowActions } from './use-rows.ts'

/** A label above a field, with a hint beside it and something at the end of the line. */
export function Field(props: {
  /** The id of the field. */
  readonly id: string
  /** The name of the field in issues. */
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly end?: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}) {
  const { id, name, label, hint, end, className, children } = props
  return (
    <div data-field={name} className={className}>
      <div className={classes.fieldHead}>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && <span className="t3 cut">{hint}</span>}
        {end !== undefined && <span className="push t3 num">{end}</span>}
      </div>
      {children}
    </div>
  )
}

/** A label above a field. @param props.children is given the id of the field. */
export function PartField(props: {
  /** The name of the field in issues. */
  readonly name: string
  readonly label: string
  readonly children: (field: string) => ReactNode
}) {
  const id = useId()
  return (
    <div data-field={props.name}>
      <label htmlFor={id} className={classes.partLabel}>
        {props.label}
      </label>
      {props.children(id)}
    </div>
  )
}

/** The head of a part of the form that has rows, with the button that adds one. */
export function PartHead(props: {
  readonly title: string
  readonly hint: string
  readonly addLabel: string
  readonly rows: Pick<RowActions<Part>, 'add' | 'addButton'>
}) {
  return (
    <div className={classes.part}>
      <h3 className="h3">{props.title}</h3>
      <span className="sm t3 cut">{props.hint}</span>
      <span className="push" />
      <Button
        ref={props.rows.addButton}
        size="xs"
        variant="subtle"
        leftSection={<Plus />}
        aria-label={props.addLabel}
        onClick={props.rows.add}
      >
        Add
      </Button>
    </div>
  )
}

const problemId = (name: string) => `problem-${name}`

/** A text of a row. Its problem is shown below the row, by `RowProblems`. */
export function RowText(props: {
  readonly form: DraftForm
  /** The name of the text in issues. */
  readonly name: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  /** Whether the text is in a human language. */
  readonly isProse?: boolean
}) {
  const { form, name, label, value, onChange, placeholder, isProse = false } = props
  const isWrong = form.errorOf(name) !== undefined
  return (
    <div data-field={name}>
      <TextInput
        size="sm"
        classNames={{ input: isProse ? '' : 'mono' }}
        aria-label={label}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
        error={isWrong}
        aria-describedby={isWrong ? problemId(name) : undefined}
        placeholder={placeholder}
        spellCheck={isProse}
      />
    </div>
  )
}

/** Shows the problems of a row's texts. */
export function RowProblems(props: { readonly form: DraftForm; readonly names: readonly string[] }) {
  return props.names.map(name => {
    const message = props.form.errorOf(name)
    return message !== undefined && <Problem key={name} id={problemId(name)} message={message} />
  })
}
