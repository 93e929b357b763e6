import { closeCompletion, completionKeymap, completionStatus } from '@codemirror/autocomplete'
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder,
  tooltips,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view'
import { completeNames, type Names } from './complete-names.ts'
import { keepEscape } from './keep-escape.ts'
import { completionTheme, templateTheme } from './template-theme.ts'
import { isFromOutside } from './use-editor.ts'

type TemplateSettings = Names & {
  readonly label: string
  readonly placeholder: string | undefined
  readonly isInvalid: boolean
  readonly describedBy: string | undefined
}

const settings = new Compartment()

export function createTemplateEditor(
  parent: HTMLElement,
  value: string,
  onChange: (text: string) => void,
): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: oneLine(value),
      extensions: [
        history(),
        drawSelection(),
        EditorState.transactionFilter.of(transaction => {
          const { newDoc } = transaction
          if (newDoc.lines === 1) return transaction
          const spaces = Array.from({ length: newDoc.lines - 1 }, (_, index) => {
            const { to } = newDoc.line(index + 1)
            return { from: to, to: to + 1, insert: ' ' }
          })
          return [transaction, { changes: spaces, sequential: true }]
        }),
        keymap.of([
          ...completionKeymap,
          { key: 'Enter', run: submit },
          ...standardKeymap.filter(({ key }) => key !== 'Enter'),
          ...historyKeymap,
        ]),
        // Outside of everything that would clip it, but inside the dialog or page that holds the field.
        tooltips({
          position: 'fixed',
          parent: parent.closest<HTMLElement>('main, [role="dialog"]') ?? document.body,
        }),
        keepEscape(state => completionStatus(state) !== null),
        settings.of([]),
        templateTheme,
        completionTheme,
        EditorView.domEventHandlers({ blur: (_event, view) => void closeCompletion(view) }),
        EditorView.updateListener.of(update => {
          if (update.docChanged && !isFromOutside(update)) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
}

/** Submits the form, as Enter does in any other field. */
function submit(view: EditorView): boolean {
  view.dom.closest('form')?.requestSubmit()
  return true
}

const oneLine = (text: string) => text.replace(/\r\n?|\n/g, ' ')

export function configureTemplate(view: EditorView, next: TemplateSettings): void {
  const { label, isInvalid, describedBy } = next
  const extensions: Extension = [
    completeNames(next),
    chips(next),
    next.placeholder === undefined ? [] : placeholder(next.placeholder),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-multiline': 'false',
      // Accessibility checkers require it on scrollable elements.
      tabindex: '0',
      ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
      ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    }),
  ]
  view.dispatch({ effects: settings.reconfigure(extensions) })
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
  return ViewPlugin.define(
    view => {
      const plugin = {
        chips: matcher.createDeco(view) satisfies DecorationSet,
        update(update: Parameters<typeof matcher.updateDeco>[0]) {
          plugin.chips = matcher.updateDeco(update, plugin.chips)
        },
      }
      return plugin
    },
    {
      decorations: plugin => plugin.chips,
      provide: plugin => EditorView.atomicRanges.of(view => view.plugin(plugin)?.chips ?? Decoration.none),
    },
  )
}

const aName = /\{\{([A-Za-z_][A-Za-z0-9_]{0,127})\}\}/g
const aPath = /\{\{[^\S\n]*([^\s.{}]+(?:\.[^\s.{}]+)*)[^\S\n]*\}\}/g
