import type { Extension } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view'

class Chip extends WidgetType {
  readonly #name: string
  readonly #isSet: boolean
  constructor(name: string, isSet: boolean) {
    super()
    this.#name = name
    this.#isSet = isSet
  }
  override eq(other: Chip): boolean {
    return other.#name === this.#name && other.#isSet === this.#isSet
  }
  override toDOM(): HTMLElement {
    const chip = document.createElement('span')
    chip.className = 'cc-chip'
    if (!this.#isSet) {
      chip.dataset.unset = ''
      chip.title = `${this.#name} is not set`
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
export function chips(set: ReadonlySet<string>): Extension {
  const matcher = new MatchDecorator({
    regexp: /\{\{([A-Za-z_][A-Za-z0-9_]{0,127})\}\}/g,
    decoration: ([, name = '']) => Decoration.replace({ widget: new Chip(name, set.has(name)) }),
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
