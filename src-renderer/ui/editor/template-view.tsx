import { useEffect, useEffectEvent } from 'react'
import type { TemplateViewProps } from '../template-field.tsx'
import { configureTemplate, createTemplateEditor } from './create-template-editor.ts'
import { useEditor } from './use-editor.ts'

const none: readonly string[] = []

/** The field itself, loaded when the first one is shown. */
export default function TemplateView(props: TemplateViewProps) {
  const {
    value,
    label,
    names,
    unknownNames = none,
    placeholder,
    isInvalid = false,
    describedBy,
    paths,
  } = props
  const { host, view, known } = useEditor(
    value,
    (parent, text) => createTemplateEditor(parent, text, typed => onChange(typed)),
    props.hadFocus,
  )
  const onChange = useEffectEvent((text: string) => {
    known.current = text
    props.onChange(text)
  })
  const onNewVariable = useEffectEvent(() => props.onNewVariable?.())
  const offersNew = props.onNewVariable !== undefined

  useEffect(() => {
    if (view.current === null) return
    configureTemplate(view.current, {
      label,
      names,
      unknownNames,
      placeholder,
      isInvalid,
      describedBy,
      paths,
      onNewVariable: offersNew ? () => onNewVariable() : null,
    })
  }, [view, label, names, unknownNames, placeholder, isInvalid, describedBy, paths, offersNew])

  return <div ref={host} style={{ height: '100%' }} />
}
