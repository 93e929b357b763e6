import { EditorView } from '@codemirror/view'

const added = 'light-dark(#DDF3E4, #1C3A27)'
const deleted = 'light-dark(#FADFDC, #46231F)'
const addedLine = 'light-dark(rgb(47 158 88 / .04), rgb(79 183 114 / .07))'
const deletedLine = 'light-dark(rgb(214 76 67 / .04), rgb(232 105 95 / .07))'
const word = (color: string) => ({
  background: color,
  borderRadius: '2px',
  textDecoration: 'none',
})

/** What was taken out and what was put in, in the design's two colours. */
export const diffTheme = EditorView.theme({
  '&': { height: 'auto' },
  '.cm-lineNumbers .cm-gutterElement': { paddingRight: '6px' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: deletedLine },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: addedLine },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': word(deleted),
  '&.cm-merge-b .cm-changedText': word(added),
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
