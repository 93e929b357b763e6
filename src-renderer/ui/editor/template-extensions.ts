import { standardKeymap } from '@codemirror/commands'
import { EditorState, type Extension } from '@codemirror/state'
import { Decoration, EditorView, MatchDecorator, placeholder, WidgetType } from '@codemirror/view'
import { variablePattern } from '#shared/model/variable-path.ts'
import { completeNames, type Names } from './complete-names.ts'
import { decorateMatches, describe, textField } from './text-field.ts'

/** Returns the extensions of a one-line field that never change. */
export const templateExtensions = (parent: HTMLElement): Extension => [
  EditorState.transactionFilter.of(transaction => {
    const { newDoc } = transaction
    if (newDoc.lines === 1) return transaction
    const spaces = Array.from({ length: newDoc.lines - 1 }, (_, index) => {
      const { to } = newDoc.line(index + 1)
      return { from: to, to: to + 1, insert: ' ' }
    })
    return [transaction, { changes: spaces, sequential: true }]
  }),
  textField(parent, [{ key: 'Enter', run: submit }, ...standardKeymap.filter(({ key }) => key !== 'Enter')]),
]

/** Submits the form, as Enter does in any other field. */
function submit(view: EditorView): boolean {
  view.dom.closest('form')?.requestSubmit()
  return true
}

export const oneLine = (text: string) => text.replace(/\r\n?|\n/g, ' ')

/** Returns the extensions that may change while the field is mounted. */
export function templateSettings(
  field: Names &
    Parameters<typeof describe>[0] & { readonly placeholder: string | undefined; readonly wraps: boolean },
): Extension {
  return [
    completeNames(field),
    chips(field),
    field.wraps ? EditorView.lineWrapping : [],
    field.placeholder === undefined ? [] : placeholder(field.placeholder),
    describe(field),
    EditorView.contentAttributes.of({ 'aria-multiline': 'false' }),
  ]
}

class Chip extends WidgetType {
  readonly #name: string
  /** Null for a variable that has a value. */
  readonly #unset: string | null
  constructor(name: string, unset: string | null) {
    super()
    this.#name = name
    this.#unset = unset
  }
  override eq(other: Chip): boolean {
    return other.#name === this.#name && other.#unset === this.#unset
  }
  override toDOM(): HTMLElement {
    const chip = document.createElement('span')
    chip.className = 'cc-chip'
    if (this.#unset !== null) {
      chip.dataset.unset = ''
      chip.title = this.#unset
    }
    chip.append(brace('{{'), this.#name, brace('}}'))
    return chip
  }
  override ignoreEvent(): boolean {
    return false
  }
}

function brace(text: string): HTMLElement {
  const element = document.createElement('i')
  element.textContent = text
  return element
}

/** Shows each `{{NAME}}` as a chip that the cursor steps over as a whole. */
function chips({ names, paths }: Names): Extension {
  const set = new Set(names)
  const unset = (name: string) => {
    if (paths !== undefined) return paths.isKnown(name) ? null : `${name} has no value with this event`
    return set.has(name) ? null : `${name} is not set`
  }
  const matcher = new MatchDecorator({
    regexp: paths === undefined ? aName : aPath,
    decoration: ([, name = '']) => Decoration.replace({ widget: new Chip(name, unset(name)) }),
  })
  return decorateMatches(matcher, true)
}

const aName = /\{\{([A-Za-z_][A-Za-z0-9_]{0,127})\}\}/g
const aPath = new RegExp(variablePattern, 'g')
