import { Brain } from 'lucide-react'
import { memo } from 'react'
import { formatCount } from '../../ui/format.ts'
import classes from './call.module.css'
import { Line, Running } from './line.tsx'

/** The reasoning of a model in one line, which opens to its text. */
export const ReasoningLine = memo(function ReasoningLine(props: {
  readonly id: string
  readonly text: string
  readonly isGrowing: boolean
  readonly isOpen: boolean
  readonly onToggle: (id: string) => void
}) {
  const { id, text, isGrowing, isOpen, onToggle } = props
  return (
    <Line
      id={id}
      label="Reasoning"
      isOpen={isOpen}
      onToggle={onToggle}
      head={
        <>
          <Brain size={14} />
          <span className="sm t2">Reasoning</span>
        </>
      }
      end={
        isGrowing ? (
          <Running>Thinking…</Running>
        ) : (
          <span className="sm t3 num">{formatCount(text.split(/\s+/).length, 'word')}</span>
        )
      }
    >
      {() => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        <section className={classes.reasoning} tabIndex={0} aria-label="Text of the reasoning">
          {text}
        </section>
      )}
    </Line>
  )
})
