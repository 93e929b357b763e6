import {
  autocompletion,
  type Completion,
  CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import { type EditorState, type Extension, Facet } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { svgIcon } from './svg-icon.ts'
import { applyName } from './text-field.ts'

export type TemplatePaths = {
  /** The text beside each completed name, such as its value. */
  readonly details: ReadonlyMap<string, string>
  /** Whether a variable has a value, also one that is not among `names`. */
  readonly isKnown: (path: string) => boolean
}

export type Names = {
  readonly names: readonly string[]
  readonly unknownNames: readonly string[]
  readonly onNewVariable: (() => void) | null
  readonly paths: TemplatePaths | undefined
  /** Whether a name is inserted into a string of JSON, whose quotes need a backslash. */
  readonly inJson?: boolean
}

const knownNames = Facet.define<Names>()

/** Completes variable names after `{{`, or anywhere on request. */
export function completeNames(known: Names): Extension {
  return [knownNames.of(known), completion, offerLater]
}

/** Opens the list once there are names for what is being typed, if none was known before. */
const offerLater = EditorView.updateListener.of(({ startState, state, docChanged, view }) => {
  if (docChanged || startState.facet(knownNames) === state.facet(knownNames) || !view.hasFocus) return
  const isOffered = (at: EditorState) =>
    (complete(new CompletionContext(at, at.selection.main.head, false))?.options.length ?? 0) > 0
  if (isOffered(state) && !isOffered(startState)) startCompletion(view)
})

function complete(context: CompletionContext): CompletionResult | null {
  const [known] = context.state.facet(knownNames)
  if (known === undefined) return null
  const begun = context.matchBefore(known.paths === undefined ? /\{\{?\w*$/ : /\{\{[^{}]*$|\{[^\s{}]*$/)
  // A single brace may be plain text.
  if (!context.explicit && (begun === null || begun.text === '{')) return null
  const from = begun?.from ?? context.pos
  const typed = (begun?.text ?? '').replace(/^\{+\s*/, '').toLowerCase()
  const written = known.inJson === true ? typed.replaceAll('\\', '') : typed
  const options = [...new Set([...known.names, ...known.unknownNames])]
    .filter(name => name.toLowerCase().includes(written))
    .map(name => nameOption(name, known))
  const { onNewVariable } = known
  if (onNewVariable !== null)
    options.push({ label: 'New variable', type: 'new', apply: () => onNewVariable() })
  return {
    from,
    options,
    filter: false,
    // At once: while a list waits for its update, Enter takes nothing.
    update: (_current, _from, _to, later) => complete(later),
    getMatch({ displayLabel }) {
      const at = displayLabel?.toLowerCase().indexOf(written) ?? -1
      return at === -1 || written === '' ? [] : [at, at + written.length]
    },
  }
}

function nameOption(name: string, { unknownNames, paths, inJson }: Names): Completion {
  const isUnset = unknownNames.includes(name)
  const detail = isUnset ? 'not set' : paths?.details.get(name)
  return {
    label: inJson === true ? JSON.stringify(`{{${name}}}`).slice(1, -1) : `{{${name}}}`,
    displayLabel: name,
    type: isUnset ? 'unset' : 'set',
    ...(detail !== undefined && { detail }),
    apply: applyName,
  }
}

const key =
  'm15.5 7.5 2.3 2.3a1 1 0 0 0 1.4 0l2.1-2.1a1 1 0 0 0 0-1.4L19 4M21 2l-9.6 9.6M7.5 10a5.5 5.5 0 1 0 0 11 5.5 5.5 0 1 0 0-11'
const plus = 'M5 12h14M12 5v14'

/** The same for every configuration: another source would close the open list, so that Enter takes nothing. */
const completion = autocompletion({
  override: [complete],
  icons: false,
  // With the default delay, an early Enter submits the form.
  interactionDelay: 0,
  optionClass: ({ type }) => `cc-${type}`,
  addToOptions: [{ position: 20, render: ({ type }) => svgIcon(type === 'new' ? plus : key) }],
})
