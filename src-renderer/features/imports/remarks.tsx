import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatNumber } from '../../ui/format.ts'
import classes from './preview-step.module.css'

type Remark = {
  readonly line: number
  readonly column: number
  readonly message: ReactNode
}

/** What is to be known of a document, each with its line. */
export function Remarks(props: {
  readonly label: string
  readonly remarks: readonly Remark[]
  /** Goes to a line; left out where there is no text to see any more. */
  readonly goTo?: (place: { readonly line: number; readonly column: number }) => void
}) {
  const { label, remarks, goTo } = props
  return (
    <ul className={classes.remarks} aria-label={label}>
      {remarks.map(({ line, column, message }, index) => (
        // Two may be the same but for what they are about.
        // biome-ignore lint/suspicious/noArrayIndexKey: a list that is never reordered
        <li key={index}>
          <TriangleAlert size={14} aria-hidden="true" />
          <span>
            {goTo === undefined ? (
              `Line ${formatNumber(line)}`
            ) : (
              <button type="button" className={classes.line} onClick={() => goTo({ line, column })}>
                Line {formatNumber(line)}
              </button>
            )}
            : {message}
          </span>
        </li>
      ))}
    </ul>
  )
}
