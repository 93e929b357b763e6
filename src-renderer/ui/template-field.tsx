import { Input } from '@mantine/core'
import { type RefObject, useId, useLayoutEffect, useRef } from 'react'
import { lazyComponent } from './lazy-component.tsx'
import classes from './template-field.module.css'

export type TemplateFieldProps = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
  /** False says it only to those who hear it: the column's head shows it. */
  readonly showLabel?: boolean
  /** Names that can be used as `{{NAME}}`. */
  readonly names: readonly string[]
  /** Names that are in use but set nowhere: offered as “not set”, their chips in the colour of a warning. */
  readonly unknownNames?: readonly string[]
  /** A few words about a name in the list of them: “set in Settings”. */
  readonly noteOf?: (name: string) => string | undefined
  /** Offers “New variable” below the names. */
  readonly onNewVariable?: () => void
  readonly placeholder?: string
  /** What is wrong with the value; true where that is said elsewhere. */
  readonly error?: string | boolean
  readonly readOnly?: boolean
  /** 32 or 28 pixels high. */
  readonly size?: 'md' | 'sm'
}

const View = lazyComponent(() => import('./editor/template-view.tsx'))

/** One line of text whose `{{NAME}}` are shown as chips; typing `{{` offers the names. */
export function TemplateField(props: TemplateFieldProps) {
  const { label, showLabel = true, error, size = 'md' } = props
  const errorId = useId()
  const describedBy = typeof error === 'string' ? errorId : undefined
  /** Whether somebody writes in the plain field while the other one arrives. */
  const hadFocus = useRef(false)
  const view = { ...props, describedBy, hadFocus }
  const field = (
    <div className={classes.field} data-size={size} data-error={Boolean(error) || undefined}>
      <View {...view} fallback={<PlainField {...view} />} />
    </div>
  )
  return (
    <Input.Wrapper
      label={showLabel ? label : undefined}
      labelElement="div"
      error={typeof error === 'string' ? error : undefined}
      errorProps={{ id: errorId }}
    >
      {field}
    </Input.Wrapper>
  )
}

/** What both the plain field and CodeMirror's get besides. */
export type TemplateViewProps = TemplateFieldProps & {
  readonly describedBy: string | undefined
  readonly hadFocus: RefObject<boolean>
}

function PlainField({ hadFocus, describedBy, ...props }: TemplateViewProps) {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const element = input.current
    return () => {
      hadFocus.current = element !== null && document.activeElement === element
    }
  }, [hadFocus])
  return (
    <input
      ref={input}
      className={classes.plain}
      value={props.value}
      onChange={event => props.onChange(event.currentTarget.value)}
      placeholder={props.placeholder}
      readOnly={props.readOnly}
      aria-label={props.label}
      aria-invalid={Boolean(props.error) || undefined}
      aria-describedby={describedBy}
    />
  )
}
