import { closeBrackets, closeBracketsKeymap, completionStatus } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { type Diagnostic, forceLinting, linter } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap, searchPanelOpen } from '@codemirror/search'
import { EditorState, type Extension, StateEffect, StateField, type Text } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { applyEdits, formatEdits } from '../format-json.ts'
import { codeTheme } from './code-theme.ts'
import { completeNames, type Names } from './complete-names.ts'
import { explainProblems, goToProblem, nextProblem, previousProblem, problemsIn } from './explain-problems.ts'
import { keepEscape } from './keep-escape.ts'
import { type EditorProblem, lengthAt, syntaxProblems } from './problems.ts'
import { completionTheme } from './template-theme.ts'

/** Milliseconds after the last key press until the text is checked. */
const lintDelay = 400
/** More edits than this take longer than replacing the whole text. */
const mostEdits = 2000

const setProblems = StateEffect.define<readonly EditorProblem[]>()

/** The problems that others found. */
const given = StateField.define<readonly EditorProblem[]>({
  create: () => [],
  update: (before, { effects }) => effects.findLast(effect => effect.is(setProblems))?.value ?? before,
})

/** The extensions that never change. */
export const jsonExtensions: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  history(),
  foldGutter({ markerDOM: foldMarker }),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  keepEscape(state => searchPanelOpen(state) || completionStatus(state) !== null),
  // The labels of the search panel, in sentence case.
  EditorState.phrases.of({
    next: 'Next',
    previous: 'Previous',
    all: 'All',
    replace: 'Replace',
    'replace all': 'Replace all',
    'match case': 'Match case',
    'by word': 'Whole words',
    regexp: 'Regular expression',
    close: 'Close',
  }),
  given,
  explainProblems,
  keymap.of([
    { key: 'F8', run: nextProblem, shift: previousProblem },
    { key: 'Mod-Shift-f', run: formatText, preventDefault: true },
    { key: 'Alt-Shift-f', run: formatText, preventDefault: true },
    ...closeBracketsKeymap,
    // Mod-Enter belongs to the view's primary action; JSON has no comments.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter' && key !== 'Mod-/'),
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
  ]),
  codeTheme,
]

/** Returns the extensions that may change while the editor is mounted. */
export function jsonSettings(
  language: 'json' | 'text',
  variables: Pick<Names, 'names' | 'paths'> | undefined,
): Extension {
  return [
    language === 'json' ? json() : [],
    variables === undefined
      ? []
      : [
          completeNames({ ...variables, unknownNames: [], onNewVariable: null, inJson: language === 'json' }),
          completionTheme,
        ],
    linter(({ state }) => diagnose(state, language), {
      delay: lintDelay,
      tooltipFilter: () => [],
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some(one => one.is(setProblems))),
    }),
  ]
}

/** Shows problems that others found, at once. Syntax errors hide them, since they are about another text. */
export function showProblems(view: EditorView, problems: readonly EditorProblem[]): void {
  view.dispatch({ effects: setProblems.of(problems) })
  forceLinting(view)
}

function diagnose(state: EditorState, language: 'json' | 'text'): Diagnostic[] {
  const syntax = language === 'json' ? syntaxProblems(state.doc.toString()) : []
  const problems = syntax.length > 0 ? syntax : state.field(given)
  return problems.map(problem => ({
    ...rangeOf(state.doc, problem),
    severity: problem.severity,
    message: problem.message,
  }))
}

/** Returns the range of a problem, at the end of the text if its place no longer exists. */
function rangeOf(doc: Text, problem: EditorProblem): { from: number; to: number } {
  const from = Math.min(problem.from ?? offsetOf(doc, problem), doc.length)
  const line = doc.lineAt(from)
  const length = problem.length ?? lengthAt(line.text, from - line.from)
  return { from, to: Math.min(from + length, line.to) }
}

function offsetOf(doc: Text, { line = 1, column = 1 }: Pick<EditorProblem, 'line' | 'column'>): number {
  if (line > doc.lines) return doc.length
  const { from, to } = doc.line(Math.max(1, line))
  return Math.min(from + Math.max(0, column - 1), to)
}

export function goTo(view: EditorView, place: { readonly line: number; readonly column: number }): void {
  const from = offsetOf(view.state.doc, place)
  const problem = problemsIn(view.state).problems.find(one => one.from === from)
  if (problem === undefined) {
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    view.focus()
  } else goToProblem(view, problem)
}

/** Formats a JSON text by changing white space only. Goes to the first problem of any other text. */
export function formatText(view: EditorView): boolean {
  const text = view.state.doc.toString()
  if (syntaxProblems(text).length > 0) {
    forceLinting(view)
    return nextProblem(view)
  }
  const edits = formatEdits(text)
  const changes =
    edits.length > mostEdits ? [{ from: 0, to: text.length, insert: applyEdits(text, edits) }] : edits
  if (changes.length > 0)
    view.dispatch({ changes, userEvent: 'input.format', scrollIntoView: edits === changes })
  return true
}

function foldMarker(open: boolean): HTMLElement {
  const marker = document.createElement('span')
  marker.textContent = open ? '⌄' : '›'
  if (!open) marker.dataset.folded = ''
  return marker
}
