import { type ChangeEvent, type RefObject, useRef } from 'react'
import classes from './code-field.module.css'
import { useNotedFocus } from './focus.ts'
import { lazyComponent } from './lazy-component.tsx'

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
  /** Whether a text that is longer than the field continues on the next line, instead of being cut. */
  readonly wraps?: boolean
  /** For variables of an event, which are dot-paths: `{{customer.name}}`. */
  readonly paths?: TemplatePaths | undefined
}

export type TemplatePaths = {
  /** The text beside each completed name, such as its value. */
  readonly details: ReadonlyMap<string, string>
  /** Whether a variable has a value, also one that is not among `names`. */
  readonly isKnown: (path: string) => boolean
}

export type TemplateViewProps = TemplateFieldProps & { readonly hadFocus: RefObject<boolean> }

const View = lazyComponent(() => import('./editor/template-view.tsx'))

/** A one-line field that shows each `{{NAME}}` as a chip; typing `{{` completes names. */
export function TemplateField(props: TemplateFieldProps) {
  return <CodeField {...props} view={View} />
}

/** A field whose editor is loaded after it. @param props.rows the lines of a field of several lines. */
export function CodeField(
  props: TemplateFieldProps & { readonly view: typeof View; readonly rows?: number },
) {
  const { view: Editor, rows, ...field } = props
  /** Whether the plain field had the focus when the editor replaced it. */
  const hadFocus = useRef(false)
  const plain = {
    ref: useNotedFocus(hadFocus),
    className: classes.plain,
    value: field.value,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      field.onChange(event.currentTarget.value),
    placeholder: field.placeholder,
    'aria-label': field.label,
    'aria-invalid': field.isInvalid,
    'aria-describedby': field.describedBy,
  }
  return (
    <div
      className={rows === undefined ? classes.line : classes.area}
      data-editor
      data-wraps={field.wraps === true || undefined}
      data-error={field.isInvalid === true || undefined}
    >
      <Editor
        {...field}
        hadFocus={hadFocus}
        fallback={rows === undefined ? <input {...plain} /> : <textarea {...plain} rows={rows} />}
      />
    </div>
  )
}
