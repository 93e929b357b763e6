import { type ChangeEvent, useRef } from 'react'
import classes from './code-field.module.css'
import type { TemplateFieldProps } from './editor/template-view.tsx'
import { useNotedFocus } from './focus.ts'
import { lazyComponent } from './lazy-component.tsx'

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
