import { json } from '@codemirror/lang-json'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import classes from '../diff-view.module.css'
import { codeTheme } from './code-theme.ts'

export type DiffViewProps = {
  readonly before: string
  readonly after: string
  /** The names of the two texts: “Sent”, “Received”. */
  readonly beforeLabel: string
  readonly afterLabel: string
}

const collapseUnchanged = { margin: 3, minSize: 6 }
/** Limits the exactness of long differences, which could take seconds. */
const diffConfig = { scanLimit: 2000, timeout: 200 }

export default function DiffEditor(props: DiffViewProps & { readonly isSideBySide: boolean }) {
  const { before, after, beforeLabel, afterLabel, isSideBySide } = props
  const host = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (host.current === null) return
    const extensions = (label: string): Extension => [
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.lineWrapping,
      json(),
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
      // Deleted fragments are not valid JSON, so their highlighting would be wrong.
      syntaxHighlightDeletions: false,
      collapseUnchanged,
      diffConfig,
    })
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: after, extensions: [extensions(afterLabel), unified] }),
    })
    return () => view.destroy()
  }, [before, after, beforeLabel, afterLabel, isSideBySide])

  return (
    <>
      <div className={classes.heads}>
        <span className="row">
          <i className={classes.swatch} data-side="before" />
          {beforeLabel}
        </span>
        <span className="row">
          <i className={classes.swatch} data-side="after" />
          {afterLabel}
        </span>
      </div>
      {before === after && <p className={classes.same}>The two texts are equal.</p>}
      <div ref={host} className={classes.body} />
    </>
  )
}

const addedColor = 'light-dark(#DDF3E4, #1C3A27)'
const deletedColor = 'light-dark(#FADFDC, #46231F)'
const addedLine = 'light-dark(rgb(47 158 88 / .04), rgb(79 183 114 / .07))'
const deletedLine = 'light-dark(rgb(214 76 67 / .04), rgb(232 105 95 / .07))'
const word = (color: string) => ({ background: color, borderRadius: '2px', textDecoration: 'none' })

/** Removed and added text in the design's colours. */
const diffTheme = EditorView.theme({
  '&': { height: 'auto' },
  '.cm-lineNumbers .cm-gutterElement': { paddingRight: '6px' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: deletedLine },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: addedLine },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': word(deletedColor),
  '&.cm-merge-b .cm-changedText': word(addedColor),
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--cc-bad-dot)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--cc-ok-dot)' },
  '.cm-deletedChunk': { paddingLeft: '4px' },
  '.cm-collapsedLines': {
    padding: '4px 14px',
    background: 'var(--cc-mute-soft)',
    color: 'var(--cc-text-2)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '12px',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '""', margin: 0 },
  '.cm-collapsedLines:hover': { color: 'var(--cc-text)' },
})
