import { EditorView, type ViewUpdate } from '@codemirror/view'
import { useEffect, useEffectEvent, useImperativeHandle, useMemo, useState } from 'react'
import { cssVariables } from '../css-variables.ts'
import classes from '../json-editor.module.css'
import { EditorFoot } from './editor-foot.tsx'
import { goToProblem, nextProblem, problemsIn } from './explain-problems.ts'
import { type JsonEditorProps, linesHeight } from './json-editor-props.ts'
import { formatText, goTo, jsonExtensions, jsonSettings, showProblems } from './json-extensions.ts'
import { describe } from './text-field.ts'
import { useEditor } from './use-editor.ts'

const noProblems: NonNullable<JsonEditorProps['problems']> = []

/**
 * The editor itself, loaded when the first one is shown.
 *
 * @param focusBefore what had the focus when its place appeared: an editor that loads late leaves the focus where the user
 *   has moved it.
 */
export default function JsonEditorView({
  focusBefore,
  ...props
}: JsonEditorProps & { readonly focusBefore: Element | null }) {
  const { language = 'json', label, describedBy, variables, problems = noProblems, autoFocus } = props
  const [state, setState] = useState<EditorView['state'] | null>(null)
  const settings = useMemo(
    () => [describe({ label, describedBy }), jsonSettings(language, variables)],
    [label, describedBy, language, variables],
  )
  const { host, view } = useEditor(props, settings, () => [
    jsonExtensions,
    EditorView.updateListener.of(update => onUpdate(update)),
  ])
  const onUpdate = useEffectEvent(({ state, startState, selectionSet, docChanged }: ViewUpdate) => {
    if (selectionSet) {
      const { head } = state.selection.main
      const line = state.doc.lineAt(head)
      props.onCursor?.({ line: line.number, column: head - line.from + 1 })
    }
    if (docChanged || selectionSet || problemsIn(state) !== problemsIn(startState)) setState(state)
  })

  useEffect(() => {
    if (view.current === null) return
    setState(view.current.state)
    const at = document.activeElement
    const isUnmoved = at === focusBefore || at === document.body || at?.matches('[data-autofocus]') === true
    if (autoFocus && isUnmoved) view.current.focus()
  }, [view, autoFocus, focusBefore])

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
