import type { EditorView, ViewUpdate } from '@codemirror/view'
import { useEffect, useEffectEvent, useImperativeHandle, useState } from 'react'
import { cssVariables } from '../css-variables.ts'
import classes from '../json-editor.module.css'
import { configure, createJsonEditor, formatText, goTo, showProblems } from './create-json-editor.ts'
import { EditorFoot } from './editor-foot.tsx'
import { goToProblem, nextProblem, problemsIn } from './explain-problems.ts'
import { type JsonEditorProps, linesHeight } from './json-editor-props.ts'
import { isFromOutside, useEditor } from './use-editor.ts'

const noProblems: NonNullable<JsonEditorProps['problems']> = []

/** The editor itself, loaded when the first one is shown. */
export default function JsonEditorView(props: JsonEditorProps) {
  const { value, language = 'json', label, describedBy, variables, problems = noProblems } = props
  const [state, setState] = useState<EditorView['state'] | null>(null)
  const { host, view, known } = useEditor(value, (parent, text) => {
    const editor = createJsonEditor({
      parent,
      value: text,
      settings: { language, label, describedBy, variables },
      onUpdate: update => onUpdate(update),
    })
    setState(editor.state)
    if (props.autoFocus) editor.focus()
    return editor
  })

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

  useEffect(() => {
    if (view.current !== null) configure(view.current, { language, label, describedBy, variables })
  }, [view, language, label, describedBy, variables])

  useEffect(() => {
    if (view.current !== null) showProblems(view.current, problems)
  }, [view, problems])

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
