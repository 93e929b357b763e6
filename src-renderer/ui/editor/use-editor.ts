import { Annotation } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import { type RefObject, useEffect, useRef } from 'react'

const outside = Annotation.define<true>()

/** Returns whether an update set the text from outside, and nobody typed it. */
export const isFromOutside = ({ transactions }: Pick<ViewUpdate, 'transactions'>) =>
  transactions.some(transaction => transaction.annotation(outside) === true)

/**
 * Mounts a CodeMirror editor once and replaces its text when `value` changes from outside.
 *
 * @param create is called once; later changes of other props need effects of their own.
 * @param hadFocus whether the editor replaces a field that had the focus. It then takes the focus, at the end of its text.
 * @returns refs to the host element, to the editor, and to the last text that came from or went to the outside.
 */
export function useEditor(
  value: string,
  create: (parent: HTMLElement, text: string) => EditorView,
  hadFocus?: RefObject<boolean>,
) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const known = useRef(value)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once
  useEffect(() => {
    if (host.current === null) return
    const editor = create(host.current, known.current)
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
    if (view.current === null || value === known.current) return
    known.current = value
    view.current.dispatch({
      changes: { from: 0, to: view.current.state.doc.length, insert: value },
      annotations: outside.of(true),
    })
  }, [value])
  return { host, view, known }
}
