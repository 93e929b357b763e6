import type { TemplateFieldProps } from './editor/template-view.tsx'
import { lazyComponent } from './lazy-component.tsx'
import { CodeField } from './template-field.tsx'

const View = lazyComponent(() => import('./editor/response-view.tsx'))

/** A field of several lines that highlights each `{name}`; typing `{` completes names. */
export function ResponseField(
  props: Pick<TemplateFieldProps, 'value' | 'onChange' | 'label' | 'names' | 'isInvalid' | 'describedBy'>,
) {
  return <CodeField {...props} view={View} rows={4} />
}
