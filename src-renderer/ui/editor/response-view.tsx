import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { Facet } from '@codemirror/state'
import { Decoration, EditorView, MatchDecorator } from '@codemirror/view'
import { useMemo } from 'react'
import { variable } from '#shared/platform/text-variables.ts'
import type { TemplateViewProps } from './template-view.tsx'
import { applyName, decorateMatches, describe, textField } from './text-field.ts'
import { useEditor } from './use-editor.ts'

/** The field itself, loaded when the first one is shown. */
export default function ResponseView(props: TemplateViewProps) {
  const { label, names, isInvalid, describedBy } = props
  const settings = useMemo(
    () => [offeredNames.of(names), describe({ label, isInvalid, describedBy })],
    [label, names, isInvalid, describedBy],
  )
  const { host } = useEditor(props, settings, parent => [
    EditorView.lineWrapping,
    autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
    // Marks each `{name}`; its text stays editable.
    decorateMatches(matcher, false),
    // Before the theme that it changes.
    theme,
    textField(parent),
  ])
  return <div ref={host} />
}

const offeredNames = Facet.define<readonly string[]>()

const theme = EditorView.theme({
  '.cm-scroller': { maxHeight: '240px', overflowY: 'auto', fontFamily: 'var(--mantine-font-family)' },
  '.cm-content': { padding: '6px 0', minHeight: '80px' },
})

const matcher = new MatchDecorator({
  regexp: variable,
  decoration: Decoration.mark({ class: 'cc-variable' }),
})

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
      .map(name => ({ label: `{${name}}`, apply: applyName })),
  }
}
