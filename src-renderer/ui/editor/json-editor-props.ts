import type { Ref } from 'react'
import type { EditorProblem } from './problems.ts'

/** What can be asked of an editor from outside: by a list of problems, by a “Format” button. */
export type JsonEditorHandle = {
  focus(): void
  /** Takes the cursor there and explains the problem of that place. Both counted from 1. */
  goTo(place: CursorPlace): void
  /** Gives each value its line; digits stay as they are. */
  format(): void
  nextProblem(): void
}

/** Where the cursor is: both counted from 1, columns in UTF-16 units. */
export type CursorPlace = { readonly line: number; readonly column: number }

export type JsonEditorProps = {
  readonly value: string
  /** Not called for what `value` brings in. */
  readonly onChange?: (text: string) => void
  /** What is edited here, for those who hear it. */
  readonly label: string
  /** `text` neither colours nor checks: a curl command, YAML. */
  readonly language?: 'json' | 'text'
  /** Height in lines; without maxLines the editor fills its container. */
  readonly minLines?: number
  readonly maxLines?: number
  /** What others have to say of the text; as long as it is no JSON, only that is said. */
  readonly problems?: readonly EditorProblem[]
  readonly onCursor?: (place: CursorPlace) => void
  readonly autoFocus?: boolean
  /** Id of an element that says more. */
  readonly describedBy?: string
  /** The line at the foot: whether the text is JSON, where the cursor is, how many bytes. Shown by default. */
  readonly foot?: boolean
  /** The border of a field. Shown by default. */
  readonly frame?: boolean
  readonly ref?: Ref<JsonEditorHandle>
}

/** How tall so many lines are, in pixels: 19 each, 8 above and below. */
export const linesHeight = (lines: number) => lines * 19 + 16
