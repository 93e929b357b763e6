import type { EditorView, ViewUpdate } from '@codemirror/view'
import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react'
import { cssVariables } from '../css-variables.ts'
import classes from '../json-editor.module.css'
import {
  configure,
  createJsonEditor,
  formatText,
  goTo,
  isFromOutside,
  replaceText,
  showProblems,
} from './create-json-editor.ts'
import { EditorFoot } from './editor-foot.tsx'
import { goToProblem, nextProblem, problemsIn } from './explain-problems.ts'
import { type JsonEditorProps, linesHeight } from './json-editor-props.ts'

const noProblems: NonNullable<JsonEditorProps['problems']> = []

/** What is loaded when the first editor is needed. */
export default function JsonEditorView(props: JsonEditorProps) {
  const { value, language = 'json', label, describedBy, problems = noProblems } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  /** The last text that came from or went to the outside. */
  const known = useRef(value)
  const [state, setState] = useState<EditorView['state'] | null>(null)

  const onUpdate = useEffectEvent((update: ViewUpdate) => {
    if (update.docChanged && !isFromOutside(update)) {
      known.current = update.state.doc.toString()
      props.onChange?.(known.current)
    }
    if (update.selectionSet) {
      const { head } = update.state.selection.main
      const line = update.state.doc.lineAt(head)
      props.onCursor?.({ line: line.number, column: head - line.from + 1 })
    }
    const hasNews = problemsIn(update.state) !== problemsIn(update.startState)
    if (update.docChanged || update.selectionSet || hasNews) setState(update.state)
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; what changes is told below
  useEffect(() => {
    if (host.current === null) return
    const editor = createJsonEditor({
      parent: host.current,
      value: known.current,
      settings: { language, label, describedBy },
      onUpdate: update => onUpdate(update),
    })
    view.current = editor
    setState(editor.state)
    if (props.autoFocus) editor.focus()
    return () => {
      editor.destroy()
      view.current = null
    }
  }, [])

  useEffect(() => {
    if (view.current !== null) configure(view.current, { language, label, describedBy })
  }, [language, label, describedBy])

  useEffect(() => {
    if (view.current === null || value === known.current) return
    known.current = value
    replaceText(view.current, value)
  }, [value])

  useEffect(() => {
    if (view.current !== null) showProblems(view.current, problems)
  }, [problems])

  useImperativeHandle(props.ref, () => ({
    focus: () => view.current?.focus(),
    goTo: place => view.current !== null && goTo(view.current, place),
    format: () => view.current !== null && formatText(view.current),
    nextProblem: () => view.current !== null && nextProblem(view.current),
  }))

  const { minLines = 1, maxLines, foot = true } = props
  return (
    <>
      <div
        ref={host}
        className={classes.host}
        data-grows={maxLines !== undefined || undefined}
        style={cssVariables({
          '--min-height': `${linesHeight(minLines)}px`,
          '--max-height': `${linesHeight(maxLines ?? 0)}px`,
        })}
      />
      {foot && state !== null && (
        <EditorFoot
          state={state}
          isJson={language === 'json'}
          onGoTo={problem => view.current !== null && goToProblem(view.current, problem)}
        />
      )}
    </>
  )
}
