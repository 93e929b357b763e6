import { json } from '@codemirror/lang-json'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import classes from '../diff-view.module.css'
import type { DiffViewProps } from '../diff-view.tsx'
import { codeTheme } from './code-theme.ts'
import { diffTheme } from './diff-theme.ts'

const collapseUnchanged = { margin: 3, minSize: 6 }
/** Longer stretches that differ are compared roughly: nobody waits for seconds. */
const diffConfig = { scanLimit: 2000, timeout: 200 }

export default function DiffEditor(props: DiffViewProps & { readonly isSideBySide: boolean }) {
  const { before, after, beforeLabel, afterLabel, language = 'json', isSideBySide } = props
  const host = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (host.current === null) return
    const extensions = (label: string): Extension => [
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.lineWrapping,
      language === 'json' ? json() : [],
      diffTheme,
      codeTheme,
    ]
    if (isSideBySide) {
      const view = new MergeView({
        a: { doc: before, extensions: extensions(beforeLabel) },
        b: { doc: after, extensions: extensions(afterLabel) },
        parent: host.current,
        collapseUnchanged,
        diffConfig,
      })
      return () => view.destroy()
    }
    const unified = unifiedMergeView({
      original: before,
      mergeControls: false,
      // Pieces of a text are not read as what they are in the whole of it.
      syntaxHighlightDeletions: false,
      collapseUnchanged,
      diffConfig,
    })
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: after, extensions: [extensions(afterLabel), unified] }),
    })
    return () => view.destroy()
  }, [before, after, beforeLabel, afterLabel, language, isSideBySide])

  return (
    <>
      <div className={classes.heads}>
        <span>
          <i className={classes.swatch} data-side="before" />
          {beforeLabel}
        </span>
        <span>
          <i className={classes.swatch} data-side="after" />
          {afterLabel}
        </span>
      </div>
      {before === after && <p className={classes.same}>The two are the same.</p>}
      <div ref={host} className={classes.body} />
    </>
  )
}
