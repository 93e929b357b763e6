import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const tint = (light: string, dark: string) => `light-dark(rgb(${light}), rgb(${dark}))`
const errorTint = tint('214 76 67 / .08', '232 105 95 / .10')
const warningTint = tint('208 138 16 / .10', '217 153 43 / .09')
const selection = tint('53 96 224 / .18', '124 158 255 / .28')
const hit = tint('208 138 16 / .28', '217 153 43 / .34')

/** CodeMirror in the design's colours, which are variables, so that the theme can change live. */
export const codeTheme = [
  EditorView.theme({
    '&': { height: '100%', backgroundColor: 'var(--cc-sunken)', color: 'var(--cc-c-key)' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': {
      fontFamily: 'var(--mantine-font-family-monospace)',
      fontSize: '12px',
      lineHeight: '19px',
      fontVariantLigatures: 'none',
    },
    '.cm-content': { padding: '8px 0', caretColor: 'var(--cc-text)' },
    '.cm-line': { padding: '0 14px 0 4px' },
    '.cm-gutters': { border: 'none', backgroundColor: 'var(--cc-sunken)', color: 'var(--cc-text-3)' },
    '.cm-lineNumbers .cm-gutterElement': { minWidth: '28px', padding: '0 0 0 10px', fontSize: '11px' },
    '.cm-foldGutter .cm-gutterElement': { width: '14px', padding: '0 1px', opacity: 0 },
    '.cm-gutters:hover .cm-foldGutter .cm-gutterElement, .cm-foldGutter .cm-gutterElement:has([data-folded])':
      { opacity: 1 },
    '.cm-activeLine': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: tint('20 24 34 / .04', '255 255 255 / .04') },
    '.cm-activeLineGutter': { backgroundColor: 'transparent' },
    '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--cc-text)' },
    '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
      background: selection,
    },
    '.cm-selectionMatch': { backgroundColor: tint('53 96 224 / .10', '124 158 255 / .16') },
    '&.cm-focused .cm-matchingBracket': {
      backgroundColor: 'var(--cc-active)',
      outline: '1px solid var(--cc-line-strong)',
    },
    '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent' },
    '.cm-foldPlaceholder': {
      margin: '0 4px',
      padding: '0 5px',
      border: 'none',
      borderRadius: '4px',
      backgroundColor: 'var(--cc-mute-soft)',
      color: 'var(--cc-text-3)',
    },
    '.cm-placeholder': { color: 'var(--cc-text-3)' },
    '.cm-searchMatch': { backgroundColor: hit },
    '.cm-searchMatch-selected': { backgroundColor: hit, outline: '1px solid var(--cc-warn-dot)' },

    // Problems: a tinted line, the place underlined, an explanation beneath.
    '.cm-lintRange-error, .cm-lintRange-warning': {
      backgroundImage: 'none',
      paddingBottom: 0,
      textDecoration: 'underline wavy var(--cc-bad-dot) 1.25px',
      textUnderlineOffset: '3px',
      textDecorationSkipInk: 'none',
    },
    '.cm-lintRange-warning': { textDecorationColor: 'var(--cc-warn-dot)' },
    '.cm-lintRange-active': { backgroundColor: 'transparent' },
    '.cm-lintPoint-error:after': { borderBottomColor: 'var(--cc-bad-dot)' },
    '.cm-lintPoint-warning:after': { borderBottomColor: 'var(--cc-warn-dot)' },
    '.cm-line.cc-error, &.cm-focused .cm-line.cc-error': { backgroundColor: errorTint },
    '.cm-line.cc-warning, &.cm-focused .cm-line.cc-warning': { backgroundColor: warningTint },
    '.cm-lineNumbers .cc-error': { color: 'var(--cc-bad)', fontWeight: 600 },
    '.cm-lineNumbers .cc-warning': { color: 'var(--cc-warn)', fontWeight: 600 },
    '.cc-explanation': {
      display: 'flex',
      gap: '8px',
      minHeight: '32px',
      padding: '4px 12px 9px',
      backgroundColor: errorTint,
      color: 'var(--cc-text)',
      fontFamily: 'var(--mantine-font-family)',
      fontSize: '12px',
      lineHeight: '18px',
      whiteSpace: 'normal',
    },
    '.cc-explanation.cc-warning': { backgroundColor: warningTint },
    '.cc-explanation svg': { flex: 'none', marginTop: '2px', color: 'var(--cc-bad)' },
    '.cc-explanation.cc-warning svg': { color: 'var(--cc-warn)' },
    '.cc-explanation b': { fontWeight: 500 },
    '.cc-explanation code': { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '11.5px' },

    // The search panel and tooltips.
    '.cm-panels': { backgroundColor: 'var(--cc-surface)', color: 'var(--cc-text)' },
    '.cm-panels-top': { borderBottom: '1px solid var(--cc-line)' },
    '.cm-panel.cm-search': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      gap: '6px',
      padding: '6px 32px 6px 10px',
      fontFamily: 'var(--mantine-font-family)',
      fontSize: '12px',
    },
    '.cm-panel.cm-search br': { flexBasis: '100%', height: 0, content: '""' },
    '.cm-panel.cm-search label': {
      display: 'inline-flex',
      alignItems: 'center',
      gap: '4px',
      margin: 0,
      fontSize: '12px',
    },
    '.cm-panel.cm-search input[type=checkbox]': { margin: 0, accentColor: 'var(--cc-accent)' },
    '.cm-panel.cm-search [name=close]': {
      top: '6px',
      right: '8px',
      width: '24px',
      height: '24px',
      fontSize: '16px',
      color: 'var(--cc-text-2)',
    },
    '.cm-textfield, .cm-button': {
      height: '24px',
      margin: 0,
      padding: '0 8px',
      border: '1px solid var(--cc-line-field)',
      borderRadius: '6px',
      backgroundColor: 'var(--cc-field)',
      color: 'var(--cc-text)',
      fontSize: '12px',
    },
    '.cm-button': { borderColor: 'var(--cc-line-strong)', background: 'var(--cc-raised)', fontWeight: 500 },
    '.cm-button:hover': { background: 'var(--cc-hover)' },
    '.cm-button:active': { background: 'var(--cc-active)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: 'var(--cc-c-key)' },
      { tag: tags.string, color: 'var(--cc-c-str)' },
      { tag: tags.number, color: 'var(--cc-c-num)' },
      { tag: [tags.bool, tags.null, tags.keyword], color: 'var(--cc-c-lit)' },
      { tag: [tags.separator, tags.squareBracket, tags.brace, tags.punctuation], color: 'var(--cc-c-pun)' },
      { tag: tags.comment, color: 'var(--cc-c-com)' },
    ]),
  ),
]
