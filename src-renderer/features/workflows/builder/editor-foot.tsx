import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Foot, type Hint } from '../../../ui/page.tsx'
import type { Figures } from './use-figures.ts'

type EditorFootProps = {
  readonly isFlow: boolean
  /** The number of steps. */
  readonly steps: number
  readonly figures: Figures
}

/** The keys of the editor, and how its runs ended. */
export function EditorFoot({ isFlow, steps, figures }: EditorFootProps) {
  return (
    <Foot hints={isFlow ? hints : noHints}>
      {formatCount(steps, 'step')}
      {figures.ended !== null && figures.succeeded !== null && figures.ended > 0 && (
        <>
          {' · '}
          {formatNumber(figures.succeeded)} of {formatCount(figures.ended, 'run')} succeeded
        </>
      )}
    </Foot>
  )
}

const noHints: readonly Hint[] = []
const hints: readonly Hint[] = [
  { keys: 'updown', does: 'select step' },
  { keys: 'alt+arrowup alt+arrowdown', does: 'move step' },
  { keys: 'a', does: 'add' },
  { keys: '{{', does: 'insert variable' },
  { keys: 'mod+enter', does: 'run a test' },
]
