import { Button } from '@mantine/core'
import { CircleX, Plus, TriangleAlert } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import classes from './definition.module.css'

/** A label above a field, with a hint beside it and something at its end. */
export function Field(props: {
  /** Id of the field; left out where `children` label themselves. */
  readonly id?: string
  /** As issues name the field. */
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly end?: ReactNode
  readonly children: ReactNode
}) {
  const { id, name, label, hint, end, children } = props
  return (
    <div data-field={name} className={classes.field}>
      <div className={classes.fieldHead}>
        {id === undefined ? <span className="w5 t2">{label}</span> : <label htmlFor={id}>{label}</label>}
        {hint !== undefined && <span className="t3 cut">{hint}</span>}
        {end !== undefined && <span className={`${classes.fieldEnd} t3 num`}>{end}</span>}
      </div>
      {children}
    </div>
  )
}

/** A line that says what is wrong. @param props.id for aria-describedby. */
export function Problem({ message, id }: { readonly message: string; readonly id?: string }) {
  return (
    <span id={id} className={classes.problem}>
      <CircleX />
      {message}
    </span>
  )
}

/** A line that gives a hint. */
export function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <p className={classes.warning}>
      <TriangleAlert />
      {children}
    </p>
  )
}

/** The head of a part of the form that has rows, with the way to add one. */
export function PartHead(props: {
  readonly title: string
  readonly hint: string
  readonly addLabel: string
  readonly addButton: Ref<HTMLButtonElement>
  readonly onAdd: () => void
}) {
  return (
    <div className={classes.part}>
      <h3 className="h3">{props.title}</h3>
      <span className="sm t3 cut">{props.hint}</span>
      <span className="push" />
      <Button
        ref={props.addButton}
        size="xs"
        variant="subtle"
        leftSection={<Plus />}
        aria-label={props.addLabel}
        onClick={props.onAdd}
      >
        Add
      </Button>
    </div>
  )
}
