import { lazy, Suspense } from 'react'
import { type JsonEditorProps, linesHeight } from './editor/json-editor-props.ts'
import classes from './json-editor.module.css'

export type { CursorPlace, JsonEditorHandle, JsonEditorProps } from './editor/json-editor-props.ts'
export type { EditorProblem } from './editor/problems.ts'

const View = lazy(() => import('./editor/json-editor-view.tsx'))

/** A JSON text to read or to write, checked as it is typed. Tab leaves it; F8 goes to the next problem. */
export function JsonEditor(props: JsonEditorProps) {
  const { foot = true, frame = true, maxLines, minLines = 1 } = props
  const lines = Math.max(minLines, Math.min(props.value.split('\n', 200).length, maxLines ?? 1))
  const height = linesHeight(lines) + (foot ? 30 : 0)
  return (
    <div
      className={classes.editor}
      data-frame={frame || undefined}
      data-fills={maxLines === undefined || undefined}
    >
      <Suspense fallback={<div className={classes.host} style={{ minHeight: height }} aria-busy="true" />}>
        <View {...props} />
      </Suspense>
    </div>
  )
}
