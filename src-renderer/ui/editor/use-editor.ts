import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { flushSync } from 'react-dom'

const outside = Annotation.define<true>()
const changeable = new Compartment()

/** Characters of a text that takes noticeably long to draw as a whole. */
const longText = 10_000

type Field = {
  readonly value: string
  /** Not called for changes of `value`. */
  readonly onChange?: (text: string) => void
  /** Whether the editor replaces a field that had the focus. It then takes the focus, at the end of its text. */
  readonly hadFocus?: RefObject<boolean>
}

/**
 * Mounts a CodeMirror editor once and replaces its text when the value changes from outside.
 *
 * @param settings the extensions that may change while the editor is mounted; must be memoized.
 * @param extend is called once, and returns the other extensions.
 * @returns refs to the host element and to the editor.
 */
export function useEditor(field: Field, settings: Extension, extend: (parent: HTMLElement) => Extension) {
  const { value, hadFocus } = field
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  /** The last text that came from or went to the outside. */
  const known = useRef(value)
  const onChange = useEffectEvent((text: string) => {
    known.current = text
    // At once: on a busy page, a key right after the text would otherwise save the text before.
    flushSync(() => field.onChange?.(text))
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once
  useEffect(() => {
    if (host.current === null) return
    const follow = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const isTyped = !transactions.some(transaction => transaction.annotation(outside) === true)
      if (docChanged && isTyped) onChange(state.doc.toString())
    })
    const extensions = [changeable.of(settings), follow, extend(host.current)]
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: known.current, extensions }),
    })
    view.current = editor
    if (hadFocus?.current) {
      editor.focus()
      editor.dispatch({ selection: { anchor: editor.state.doc.length } })
    }
    return () => {
      editor.destroy()
      view.current = null
    }
  }, [])

  useEffect(() => {
    view.current?.dispatch({ effects: changeable.reconfigure(settings) })
  }, [settings])

  useEffect(() => {
    if (view.current === null || value === known.current) return
    known.current = value
    const replacing = view.current.state.update({
      changes: { from: 0, to: view.current.state.doc.length, insert: value },
      annotations: outside.of(true),
    })
    if (value.length < longText) return view.current.dispatch(replacing)
    // An editor that is hidden, or has just been, would draw every line of the change.
    view.current.setState(replacing.state)
    // Tells the listeners.
    view.current.dispatch({ selection: replacing.state.selection, annotations: outside.of(true) })
  }, [value])
  return { host, view }
}
