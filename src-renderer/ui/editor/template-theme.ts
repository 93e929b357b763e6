import { EditorView } from '@codemirror/view'

export const templateTheme = EditorView.theme({
  // Only the editor: the theme also applies to the tooltip container, which must not take any height.
  '&.cm-editor': { height: '100%' },
  '&': { backgroundColor: 'transparent', color: 'var(--cc-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    overflowY: 'hidden',
    scrollbarWidth: 'none',
    fontFamily: 'var(--mantine-font-family-monospace)',
    lineHeight: 'inherit',
  },
  '.cm-content': { padding: 0, caretColor: 'var(--cc-text)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor': { borderLeftColor: 'var(--cc-text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'light-dark(rgb(53 96 224 / .18), rgb(124 158 255 / .28))',
  },
  '.cm-placeholder': { color: 'var(--cc-text-3)' },
  '.cc-chip': {
    display: 'inline-block',
    height: '20px',
    margin: '0 1px',
    padding: '0 5px',
    borderRadius: '4px',
    backgroundColor: 'var(--cc-accent-soft)',
    color: 'var(--cc-accent-text)',
    fontSize: '11.5px',
    lineHeight: '20px',
    verticalAlign: 'middle',
  },
  '.cc-chip[data-unset]': { backgroundColor: 'var(--cc-warn-soft)', color: 'var(--cc-warn)' },
  '.cc-variable': {
    padding: '1px 0',
    borderRadius: '4px',
    backgroundColor: 'var(--cc-accent-soft)',
    color: 'var(--cc-accent-text)',
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '12px',
  },
  '.cc-chip i': { fontStyle: 'normal', opacity: 0.75 },
})

/** The list of names that a completion offers. */
export const completionTheme = EditorView.theme({
  '.cm-tooltip.cm-tooltip-autocomplete': {
    margin: '10px 0 10px -8px',
    padding: '4px',
    border: 'none',
    borderRadius: '8px',
    backgroundColor: 'var(--cc-raised)',
    color: 'var(--cc-text)',
    boxShadow: 'var(--mantine-shadow-md)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '240px',
    maxHeight: '224px',
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: '8px',
    height: '28px',
    padding: '0 8px',
    borderRadius: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--cc-active)',
    color: 'var(--cc-text)',
  },
  '.cm-tooltip-autocomplete svg': { flex: 'none', color: 'var(--cc-text-3)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 600 },
  '.cm-completionDetail': {
    marginLeft: 'auto',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '11px',
    fontStyle: 'normal',
    color: 'var(--cc-text-3)',
  },
  '.cc-unset .cm-completionDetail': { color: 'var(--cc-warn)' },
  '.cc-new .cm-completionLabel': { fontFamily: 'var(--mantine-font-family)', fontSize: '13px' },
})
