import { type Completion, closeCompletion, completionStatus } from '@codemirror/autocomplete'
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import type { Extension } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  type KeyBinding,
  keymap,
  type MatchDecorator,
  tooltips,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { keepEscape } from './keep-escape.ts'
import { completionTheme, templateTheme } from './template-theme.ts'

/** Returns the extensions that fields of text with variables have in common. */
export function textField(parent: HTMLElement, keys: readonly KeyBinding[] = standardKeymap): Extension {
  return [
    history(),
    drawSelection(),
    keymap.of([...keys, ...historyKeymap]),
    // Outside of everything that would clip it, but inside the dialog or page that holds the field.
    tooltips({
      position: 'fixed',
      parent: parent.closest<HTMLElement>('main, [role="dialog"]') ?? document.body,
    }),
    keepEscape(state => completionStatus(state) !== null),
    templateTheme,
    completionTheme,
    EditorView.domEventHandlers({ blur: (_event, view) => void closeCompletion(view) }),
  ]
}

/** Names an editor for screen readers. */
export function describe(field: {
  readonly label: string
  readonly describedBy: string | undefined
  readonly isInvalid?: boolean | undefined
}): Extension {
  return EditorView.contentAttributes.of({
    'aria-label': field.label,
    // Accessibility checkers require it on scrollable elements.
    tabindex: '0',
    ...(field.isInvalid === true && { 'aria-invalid': 'true' }),
    ...(field.describedBy !== undefined && { 'aria-describedby': field.describedBy }),
  })
}

/** Decorates every match. @param isAtomic whether the cursor steps over a match as a whole. */
export function decorateMatches(matcher: MatchDecorator, isAtomic: boolean): Extension {
  class Matches {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = matcher.updateDeco(update, this.decorations)
    }
  }
  return ViewPlugin.fromClass(Matches, {
    decorations: matches => matches.decorations,
    provide: plugin =>
      isAtomic ? EditorView.atomicRanges.of(view => view.plugin(plugin)?.decorations ?? Decoration.none) : [],
  })
}

/** Completes a name with its braces: `{name}` or `{{name}}`. The closing ones may be there already. */
export const applyName: Exclude<Completion['apply'], string | undefined> = (view, { label }, start, end) => {
  const braces = label.lastIndexOf('{') + 1
  const [closing = ''] = /^\}*/.exec(view.state.sliceDoc(end, end + braces)) ?? []
  view.dispatch({
    changes: { from: start, to: end + closing.length, insert: label },
    selection: { anchor: start + label.length },
    userEvent: 'input.complete',
  })
}
