import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

const attribute = 'data-mantine-stop-propagation'

/**
 * Lets Escape close an open panel or completion in the editor instead of the dialog around it: Mantine's dialogs ignore
 * Escape from elements with this attribute.
 */
export function keepEscape(isOpen: (state: EditorState) => boolean): Extension {
  return [
    EditorView.contentAttributes.of(
      ({ state }): Record<string, string> => (isOpen(state) ? { [attribute]: 'true' } : {}),
    ),
    EditorView.updateListener.of(({ view, state, startState }) => {
      if (!isOpen(state) || isOpen(startState)) return
      for (const control of view.dom.querySelectorAll('.cm-panel input, .cm-panel button'))
        control.setAttribute(attribute, 'true')
    }),
  ]
}
