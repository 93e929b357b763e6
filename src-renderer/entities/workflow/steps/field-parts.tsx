import { Button } from '@mantine/core'
import { CircleX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { numberText } from '#shared/json/exact-json.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { TemplateField } from '../../../ui/template-field.tsx'
import { type Path, pathKey } from '../step-paths.ts'
import { type Preview, previewOf, withNearest } from './preview.ts'
import { type Problem, problemsIn, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'

/** A field without variables, beside its label. */
export function FieldRow(props: {
  readonly label: string
  readonly path?: Path
  readonly children: ReactNode
}) {
  const { label, path, children } = props
  return (
    <div className={classes.templateRow} data-field={path && pathKey(path)}>
      <span className={classes.label}>{label}</span>
      {children}
    </div>
  )
}

/** The problems of a field, each with a button that takes the nearest name. */
export function FieldProblems(props: {
  readonly path: Path
  readonly id?: string
  /** Replaces a wrong text by another. */
  readonly onFix?: (nearest: string) => void
}) {
  const { path, id, onFix } = props
  const { problems } = useStepEditing()
  const own = problemsIn(problems, path)
  if (own.length === 0) return null
  return (
    <div id={id} className={classes.problems}>
      {own.map(problem => (
        <ProblemLine key={problem.path + problem.message} problem={problem} onFix={onFix} />
      ))}
    </div>
  )
}

function ProblemLine(props: {
  readonly problem: Problem
  readonly onFix: ((nearest: string) => void) | undefined
}) {
  const { problem, onFix } = props
  const { message, severity, nearest } = problem
  return (
    <div className={`${classes.problem} ${severity === 'error' ? 'bad' : 'warn'}`}>
      {severity === 'error' ? <CircleX size={14} /> : <TriangleAlert size={14} />}
      <span>{message}</span>
      {nearest !== null && onFix !== undefined && (
        <Button size="xs" variant="subtle" aria-label={`Use it: ${nearest}`} onClick={() => onFix(nearest)}>
          Use it
        </Button>
      )}
    </div>
  )
}

/** A field with variables: its label, its text and what it becomes with the chosen event. */
export function TemplateRow(props: {
  readonly label: string
  /** Whether the label is a name that machines read. */
  readonly isName?: boolean
  /** Whether the text is the value of a header, which can use environment variables. */
  readonly isHeader?: boolean
  readonly path: Path
  /** The path of the step, which decides the variables. */
  readonly step: Path
  readonly value: string
  /** @param field names what is typed. */
  readonly onChange: (value: string, field: string) => void
  /** Returns what it becomes; by default that of the text. */
  readonly previewWith?: (scope: Scope | null) => Preview | null
  readonly placeholder?: string
  readonly end?: ReactNode
  readonly onFix?: (nearest: string) => void
}) {
  const {
    label,
    isName = false,
    isHeader = false,
    path,
    step,
    value,
    onChange,
    previewWith = scope => previewOf(value, scope),
    placeholder,
    end,
  } = props
  const { contextAt, problems } = useStepEditing()
  const id = useId()
  const context = contextAt(step)
  const { names, paths } = isHeader ? context.headers : context
  const hasProblem = problemsIn(problems, path).length > 0
  return (
    <div className={classes.field} data-field={pathKey(path)}>
      <div className={classes.templateRow}>
        <span className={`${classes.label} cut`} title={label}>
          {isName ? <code>{label}</code> : label}
        </span>
        <span className={classes.template}>
          <TemplateField
            label={label}
            value={value}
            onChange={typed => onChange(typed, pathKey(path))}
            names={names}
            paths={paths}
            wraps
            isInvalid={hasProblem}
            describedBy={hasProblem ? id : undefined}
            {...(placeholder !== undefined && { placeholder })}
          />
          <span className="row">
            <PreviewText preview={value === '' ? null : previewWith(context.scope)} />
            {end}
          </span>
        </span>
      </div>
      <FieldProblems
        id={id}
        path={path}
        onFix={
          props.onFix ?? (nearest => onChange(withNearest(value, nearest, paths.isKnown), pathKey(path)))
        }
      />
    </div>
  )
}

/** Shows what a template becomes with the chosen event. */
export function PreviewText({ preview }: { readonly preview: Preview | null }) {
  if (preview === null) return <span className={classes.preview} />
  if (preview.kind === 'later')
    return <span className={`${classes.preview} sm t3 cut`}>known once {preview.key} ran</span>
  if (preview.kind === 'too-large')
    return <span className={`${classes.preview} sm warn cut`}>larger than 1 MiB</span>
  if (preview.kind === 'failed')
    return (
      <span className={`${classes.preview} sm warn cut`} title={preview.why}>
        {preview.why}
      </span>
    )
  if (preview.kind === 'value' && preview.absent.length > 0 && (preview.value ?? '') === '')
    return <span className={`${classes.preview} sm warn cut`}>no value in this event</span>
  const [text, kind] =
    preview.kind === 'text'
      ? [preview.text, 'key']
      : [JSON.stringify(preview.value) ?? '', kindOf(preview.value)]
  return (
    <code
      className={`${classes.preview} cut`}
      data-kind={kind}
      title={`${text.slice(0, 1000)}\nThe value with the chosen event`}
    >
      {text.slice(0, 300)}
    </code>
  )
}

function kindOf(value: unknown): 'str' | 'num' | 'key' {
  if (typeof value === 'string') return 'str'
  return numberText(value) === null ? 'key' : 'num'
}
