import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

const attribute = 'data-mantine-stop-propagation'

/**
 * While something is open in the editor, Escape closes that and not the dialog around it: dialogs look at
 * this attribute of whatever the key is pressed in, before anything in them sees the key.
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
