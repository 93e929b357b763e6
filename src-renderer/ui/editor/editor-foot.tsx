import type { Diagnostic } from '@codemirror/lint'
import type { EditorState, Text } from '@codemirror/state'
import { UnstyledButton } from '@mantine/core'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatBytes, formatCount, formatNumber } from '../format.ts'
import classes from '../json-editor.module.css'
import { problemsIn } from './explain-problems.ts'

/** The line below the editor: the current problem, the cursor's position and the size of the text. */
export function EditorFoot(props: {
  readonly state: EditorState
  readonly isJson: boolean
  readonly onGoTo: (problem: Diagnostic) => void
}) {
  const { doc, selection } = props.state
  const bytes = useBytes(doc)
  const line = doc.lineAt(selection.main.head)
  const column = selection.main.head - line.from + 1
  return (
    <div className={classes.foot}>
      <span className={classes.status} aria-live="polite">
        <Verdict {...props} />
      </span>
      <span className={classes.place}>
        Line {formatNumber(line.number)}, column {formatNumber(column)} · {formatBytes(bytes)}
      </span>
    </div>
  )
}

/** Longer texts, in UTF-16 units, are measured after a delay. */
const maxImmediate = 100_000

/** Returns the size of a text in UTF-8, for a long one after a delay. */
function useBytes(doc: Text): number {
  const [bytes, setBytes] = useState(() => bytesOf(doc))
  useEffect(() => {
    const timer = setTimeout(() => setBytes(bytesOf(doc)), doc.length < maxImmediate ? 0 : 300)
    return () => clearTimeout(timer)
  }, [doc])
  return bytes
}

const bytesOf = (doc: Text) => new TextEncoder().encode(doc.toString()).length

function Verdict({ state, isJson, onGoTo }: Parameters<typeof EditorFoot>[0]) {
  const { problems, current, isChecked } = problemsIn(state)
  const shown = current ?? problems[0]
  if (shown === undefined) {
    if (!isJson || !isChecked || isBlank(state)) return null
    return (
      <span className="ok row" style={{ gap: 5 }}>
        <CircleCheck />
        Valid JSON
      </span>
    )
  }
  const isError = shown.severity === 'error'
  const Icon = isError ? CircleX : TriangleAlert
  const line = state.doc.lineAt(Math.min(shown.from, state.doc.length))
  const place = `Line ${formatNumber(line.number)}, column ${formatNumber(shown.from - line.from + 1)}`
  return (
    <UnstyledButton
      className={classes.problem}
      data-severity={shown.severity}
      title={
        problems.length > 1 ? `${formatCount(problems.length, 'problem')}; F8 goes to the next` : undefined
      }
      onClick={() => onGoTo(shown)}
    >
      <Icon />
      <span className="cut">
        {place}: {shown.message.replaceAll('`', '')}
      </span>
    </UnstyledButton>
  )
}

const isBlank = (state: EditorState) => state.doc.length < 1000 && state.doc.toString().trim() === ''
