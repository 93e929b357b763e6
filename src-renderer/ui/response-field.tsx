import { type RefObject, useRef } from 'react'
import { useNotedFocus } from './focus.ts'
import { lazyComponent } from './lazy-component.tsx'
import classes from './response-field.module.css'
import type { TemplateFieldProps } from './template-field.tsx'

type ResponseFieldProps = Pick<
  TemplateFieldProps,
  'value' | 'onChange' | 'label' | 'names' | 'isInvalid' | 'describedBy'
>

const View = lazyComponent(() => import('./editor/response-view.tsx'))

/** A field of several lines that highlights each `{name}`; typing `{` completes names. */
export function ResponseField(props: ResponseFieldProps) {
  /** Whether the plain field had the focus when the editor replaced it. */
  const hadFocus = useRef(false)
  const view = { ...props, hadFocus }
  return (
    <div className={classes.field} data-error={props.isInvalid === true || undefined}>
      <View {...view} fallback={<PlainField {...view} />} />
    </div>
  )
}

export type ResponseViewProps = ResponseFieldProps & { readonly hadFocus: RefObject<boolean> }

function PlainField({ hadFocus, ...props }: ResponseViewProps) {
  return (
    <textarea
      ref={useNotedFocus(hadFocus)}
      className={classes.plain}
      rows={4}
      value={props.value}
      onChange={event => props.onChange(event.currentTarget.value)}
      aria-label={props.label}
      aria-invalid={props.isInvalid}
      aria-describedby={props.describedBy}
    />
  )
}
