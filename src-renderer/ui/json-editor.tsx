import { useState } from 'react'
import { type JsonEditorProps, linesHeight } from './editor/json-editor-props.ts'
import classes from './json-editor.module.css'
import { lazyComponent } from './lazy-component.tsx'

export type { CursorPlace, JsonEditorHandle, JsonEditorProps } from './editor/json-editor-props.ts'
export type { EditorProblem } from './editor/problems.ts'

const View = lazyComponent(() => import('./editor/json-editor-view.tsx'))

/** An editor that checks JSON while it is typed. Tab leaves it; F8 goes to the next problem. */
export function JsonEditor(props: JsonEditorProps) {
  const { frame = true, maxLines } = props
  const [focusBefore] = useState(() => document.activeElement)
  return (
    <div
      className={classes.editor}
      data-editor
      data-frame={frame || undefined}
      data-fills={maxLines === undefined || undefined}
    >
      <View {...props} focusBefore={focusBefore} fallback={<Placeholder {...props} />} />
    </div>
  )
}

/** A placeholder with the height of the editor. */
function Placeholder({ value, foot = true, minLines = 1, maxLines = 1 }: JsonEditorProps) {
  const lines = Math.max(minLines, Math.min(value.split('\n').length, maxLines))
  return (
    <div
      className={classes.host}
      style={{ minHeight: linesHeight(lines) + (foot ? 30 : 0) }}
      aria-busy="true"
    />
  )
}
