import type { EditorView } from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { TemplateViewProps } from '../template-field.tsx'
import { configureTemplate, createTemplateEditor, replaceTemplate } from './create-template-editor.ts'

const none: readonly string[] = []

/** What is loaded when the first field with variables is needed. */
export default function TemplateView(props: TemplateViewProps) {
  const { value, label, names, unknownNames = none, placeholder, isInvalid = false } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  /** The last value that came from or went to the outside. */
  const known = useRef(value)
  const onChange = useEffectEvent((text: string) => {
    known.current = text
    props.onChange(text)
  })
  const onNewVariable = useEffectEvent(() => props.onNewVariable?.())
  const offersNew = props.onNewVariable !== undefined

  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is made once; what changes is told below
  useEffect(() => {
    if (host.current === null) return
    const editor = createTemplateEditor(host.current, known.current, text => onChange(text))
    view.current = editor
    if (props.hadFocus.current) {
      editor.focus()
      editor.dispatch({ selection: { anchor: editor.state.doc.length } })
    }
    return () => {
      editor.destroy()
      view.current = null
    }
  }, [])

  useEffect(() => {
    if (view.current === null) return
    configureTemplate(view.current, {
      label,
      names,
      unknownNames,
      placeholder,
      isInvalid,
      onNewVariable: offersNew ? () => onNewVariable() : null,
    })
  }, [label, names, unknownNames, placeholder, isInvalid, offersNew])

  useEffect(() => {
    if (view.current === null || value === known.current) return
    known.current = value
    replaceTemplate(view.current, value)
  }, [value])

  return <div ref={host} style={{ height: '100%' }} />
}
