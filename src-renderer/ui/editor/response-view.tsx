import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete'
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { Compartment, EditorState, Facet } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  MatchDecorator,
  tooltips,
  ViewPlugin,
} from '@codemirror/view'
import { useEffect, useEffectEvent } from 'react'
import { variable } from '#shared/platform/text-variables.ts'
import type { ResponseViewProps } from '../response-field.tsx'
import { keepEscape } from './keep-escape.ts'
import { completionTheme, templateTheme } from './template-theme.ts'
import { isFromOutside, useEditor } from './use-editor.ts'

/** The field itself, loaded when the first one is shown. */
export default function ResponseView(props: ResponseViewProps) {
  const { value, label, names, isInvalid = false, describedBy } = props
  const { host, view, known } = useEditor(
    value,
    (parent, text) => createEditor(parent, text, typed => onChange(typed)),
    props.hadFocus,
  )
  const onChange = useEffectEvent((text: string) => {
    known.current = text
    props.onChange(text)
  })
  useEffect(() => {
    view.current?.dispatch({
      effects: settings.reconfigure([
        offeredNames.of(names),
        EditorView.contentAttributes.of({
          'aria-label': label,
          // Accessibility checkers require it on scrollable elements.
          tabindex: '0',
          ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
          ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        }),
      ]),
    })
  }, [view, label, names, isInvalid, describedBy])
  return <div ref={host} />
}

const settings = new Compartment()
const offeredNames = Facet.define<readonly string[]>()

function createEditor(parent: HTMLElement, doc: string, onChange: (text: string) => void): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc,
      extensions: [
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        keymap.of([...completionKeymap, ...standardKeymap, ...historyKeymap]),
        autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
        tooltips({
          position: 'fixed',
          parent: parent.closest<HTMLElement>('main, [role="dialog"]') ?? document.body,
        }),
        keepEscape(state => completionStatus(state) !== null),
        settings.of([]),
        highlighted,
        // Before the one that it changes.
        theme,
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

const theme = EditorView.theme({
  '.cm-scroller': { maxHeight: '240px', overflowY: 'auto', fontFamily: 'var(--mantine-font-family)' },
  '.cm-content': { padding: '6px 0', minHeight: '80px' },
})

const matcher = new MatchDecorator({
  regexp: variable,
  decoration: Decoration.mark({ class: 'cc-variable' }),
})

/** Marks each `{name}`; its text stays editable. */
const highlighted = ViewPlugin.define(
  view => {
    const plugin = {
      marks: matcher.createDeco(view),
      update(update: Parameters<typeof matcher.updateDeco>[0]) {
        plugin.marks = matcher.updateDeco(update, plugin.marks)
      },
    }
    return plugin
  },
  { decorations: plugin => plugin.marks },
)

/** Completes names after `{`, or anywhere on request. */
function complete(context: CompletionContext): CompletionResult | null {
  const begun = context.matchBefore(/\{\w*$/)
  const [names = []] = context.state.facet(offeredNames)
  if (names.length === 0 || (begun === null && !context.explicit)) return null
  const written = (begun?.text.slice(1) ?? '').toLowerCase()
  return {
    from: begun?.from ?? context.pos,
    filter: false,
    update: (_current, _from, _to, later) => complete(later),
    options: names
      .filter(name => name.toLowerCase().includes(written))
      .map(name => ({
        label: `{${name}}`,
        apply(view, { label }, start, end) {
          // The closing brace may be there already.
          const to = view.state.sliceDoc(end, end + 1) === '}' ? end + 1 : end
          view.dispatch({
            changes: { from: start, to, insert: label },
            selection: { anchor: start + label.length },
            userEvent: 'input.complete',
          })
        },
      })),
  }
}
