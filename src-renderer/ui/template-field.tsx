import { type RefObject, useLayoutEffect, useRef } from 'react'
import { lazyComponent } from './lazy-component.tsx'
import classes from './template-field.module.css'

type TemplateFieldProps = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
  /** Names that can be used as `{{NAME}}`. */
  readonly names: readonly string[]
  /** Names that are in use but set nowhere: offered as “not set”, their chips in the colour of a warning. */
  readonly unknownNames?: readonly string[]
  /** Offers “New variable” below the names. */
  readonly onNewVariable?: () => void
  readonly placeholder?: string
  /** Whether something is wrong with the value; what it is stands below the field. */
  readonly isInvalid?: boolean
}

const View = lazyComponent(() => import('./editor/template-view.tsx'))

/** One line of text whose `{{NAME}}` are shown as chips; typing `{{` offers the names. */
export function TemplateField(props: TemplateFieldProps) {
  /** Whether somebody writes in the plain field while the other one arrives. */
  const hadFocus = useRef(false)
  const view = { ...props, hadFocus }
  return (
    <div className={classes.field} data-error={props.isInvalid === true || undefined}>
      <View {...view} fallback={<PlainField {...view} />} />
    </div>
  )
}

/** What both the plain field and CodeMirror's get besides. */
export type TemplateViewProps = TemplateFieldProps & { readonly hadFocus: RefObject<boolean> }

function PlainField({ hadFocus, ...props }: TemplateViewProps) {
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
      aria-label={props.label}
      aria-invalid={props.isInvalid}
    />
  )
}
