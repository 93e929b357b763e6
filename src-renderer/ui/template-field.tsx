import { type RefObject, useRef } from 'react'
import { useNotedFocus } from './focus.ts'
import { lazyComponent } from './lazy-component.tsx'
import classes from './template-field.module.css'

export type TemplateFieldProps = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
  /** Variables that are set: those that are completed. */
  readonly names: readonly string[]
  /** Variables that are used but not set: completed as “not set”, with chips in the warning colour. */
  readonly unknownNames?: readonly string[]
  /** Adds “New variable” below the names. */
  readonly onNewVariable?: () => void
  readonly placeholder?: string
  readonly isInvalid?: boolean
  /** Id of an element that describes the field. */
  readonly describedBy?: string | undefined
  /** For variables of an event, which are dot-paths: `{{customer.name}}`. */
  readonly paths?: TemplatePaths | undefined
}

export type TemplatePaths = {
  /** The text beside each completed name, such as its value. */
  readonly details: ReadonlyMap<string, string>
  /** Whether a variable has a value, also one that is not among `names`. */
  readonly isKnown: (path: string) => boolean
}

const View = lazyComponent(() => import('./editor/template-view.tsx'))

/** A one-line field that shows each `{{NAME}}` as a chip; typing `{{` completes names. */
export function TemplateField(props: TemplateFieldProps) {
  /** Whether the plain field had the focus when the editor replaced it. */
  const hadFocus = useRef(false)
  const view = { ...props, hadFocus }
  return (
    <div className={classes.field} data-error={props.isInvalid === true || undefined}>
      <View {...view} fallback={<PlainField {...view} />} />
    </div>
  )
}

export type TemplateViewProps = TemplateFieldProps & { readonly hadFocus: RefObject<boolean> }

function PlainField({ hadFocus, ...props }: TemplateViewProps) {
  return (
    <input
      ref={useNotedFocus(hadFocus)}
      className={classes.plain}
      value={props.value}
      onChange={event => props.onChange(event.currentTarget.value)}
      placeholder={props.placeholder}
      aria-label={props.label}
      aria-invalid={props.isInvalid}
      aria-describedby={props.describedBy}
    />
  )
}
