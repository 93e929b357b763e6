import type { Ref } from 'react'
import type { Names } from './complete-names.ts'
import type { EditorProblem } from './problems.ts'

export type JsonEditorHandle = {
  focus(): void
  /** Moves the cursor and explains the problem there. */
  goTo(place: CursorPlace): void
  /** Puts each value on its own line. Numbers keep their digits. */
  format(): void
  nextProblem(): void
}

/** Both count from 1, columns in UTF-16 units. */
export type CursorPlace = { readonly line: number; readonly column: number }

export type JsonEditorProps = {
  readonly value: string
  /** Not called for changes of `value`. */
  readonly onChange?: (text: string) => void
  /** The accessible name. */
  readonly label: string
  /** `text` has no highlighting and no checks: a curl command, YAML. */
  readonly language?: 'json' | 'text'
  /** Height in lines; without maxLines the editor fills its container. */
  readonly minLines?: number
  readonly maxLines?: number
  /** Problems that others found. Syntax errors hide them. */
  readonly problems?: readonly EditorProblem[]
  readonly onCursor?: (place: CursorPlace) => void
  readonly autoFocus?: boolean
  /** Id of an element with a description. */
  readonly describedBy?: string
  /** Completes `{{variables}}`. */
  readonly variables?: Pick<Names, 'names' | 'paths'> | undefined
  /** Whether to show the line with the problem, the cursor and the size. True by default. */
  readonly foot?: boolean
  /** Whether to show a field's border. True by default. */
  readonly frame?: boolean
  readonly ref?: Ref<JsonEditorHandle>
}

/** Returns the height of some lines in pixels: 19 each, 8 above and below. */
export const linesHeight = (lines: number) => lines * 19 + 16
