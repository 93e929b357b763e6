import { useEffectEvent, useMemo } from 'react'
import type { TemplateViewProps } from '../template-field.tsx'
import { oneLine, templateExtensions, templateSettings } from './template-extensions.ts'
import { useEditor } from './use-editor.ts'

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
