import { TriangleAlert } from 'lucide-react'
import { Fragment } from 'react'
import { formatNumber } from '../../ui/format.ts'
import type { Remark } from './issues.ts'
import classes from './preview-step.module.css'

/** Maximum number of places of a remark that are shown. */
const maxPlaces = 4

/** Lists remarks on a document, each with its lines. */
export function Remarks(props: {
  readonly remarks: readonly Remark[]
  /** Goes to a place. Left out where the text is not shown. */
  readonly goTo?: (place: { readonly line: number; readonly column: number }) => void
}) {
  const { remarks, goTo } = props
  return (
    <ul className={classes.remarks} aria-label="Warnings">
      {remarks.map(({ message, places }) => (
        <li key={message}>
          <TriangleAlert />
          <span>
            {message} <Places places={places} goTo={goTo} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Places({ places, goTo }: Pick<Remark, 'places'> & { goTo: Parameters<typeof Remarks>[0]['goTo'] }) {
  const more = places.length - maxPlaces
  return (
    <span className="t3 num nowrap">
      {places.length > 1 && `${formatNumber(places.length)} times: `}
      {places.slice(0, maxPlaces).map((place, index) => (
        // The same place may occur twice.
        // biome-ignore lint/suspicious/noArrayIndexKey: a list that is never reordered
        <Fragment key={index}>
          {index > 0 && ', '}
          {goTo === undefined ? (
            lineWords(place, index)
          ) : (
            <button type="button" className={classes.line} onClick={() => goTo(place)}>
              {lineWords(place, index)}
            </button>
          )}
        </Fragment>
      ))}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </span>
  )
}

function lineWords({ line }: { readonly line: number }, index: number): string {
  return `${index === 0 ? 'Line ' : ''}${formatNumber(line)}`
}
