import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Foot, type Hints } from '../../../ui/page.tsx'
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

const noHints: Hints = {}
const hints: Hints = {
  updown: 'select step',
  'alt+arrowup alt+arrowdown': 'move step',
  a: 'add',
  'mod+v': 'paste a step',
  '{{': 'insert variable',
  'mod+enter': 'run a test',
}
