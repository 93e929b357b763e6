import { type RefObject, useEffectEvent, useMemo } from 'react'
import type { TemplatePaths } from './complete-names.ts'
import { oneLine, templateExtensions, templateSettings } from './template-extensions.ts'
import { useEditor } from './use-editor.ts'

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

export type TemplateViewProps = TemplateFieldProps & { readonly hadFocus: RefObject<boolean> }

const none: readonly string[] = []

/** The field itself, loaded when the first one is shown. */
export default function TemplateView(props: TemplateViewProps) {
  const {
    label,
    names,
    unknownNames = none,
    placeholder,
    isInvalid,
    describedBy,
    paths,
    wraps = false,
  } = props
  const onNewVariable = useEffectEvent(() => props.onNewVariable?.())
  const offersNew = props.onNewVariable !== undefined
  const settings = useMemo(
    () =>
      templateSettings({
        label,
        names,
        unknownNames,
        placeholder,
        isInvalid,
        describedBy,
        paths,
        wraps,
        onNewVariable: offersNew ? () => onNewVariable() : null,
      }),
    [label, names, unknownNames, placeholder, isInvalid, describedBy, paths, wraps, offersNew],
  )
  const { host } = useEditor({ ...props, value: oneLine(props.value) }, settings, templateExtensions)
  return <div ref={host} style={{ height: '100%' }} />
}
