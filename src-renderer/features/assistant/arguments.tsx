import { Fragment } from 'react'
import classes from './assistant.module.css'

/** How many arguments a line shows, and how many characters of each. */
const most = { entries: 8, characters: 120 }

/** The arguments of a call on one line, cut to the room that there is. */
export function Arguments({ given }: { readonly given: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(given).slice(0, most.entries)
  if (entries.length === 0) return <code className="t3">none</code>
  return (
    <code className="cut t3">
      {entries.map(([name, value], index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          <span className="t3">{name}:</span>{' '}
          <span className={classes.value}>{JSON.stringify(value).slice(0, most.characters)}</span>
        </Fragment>
      ))}
    </code>
  )
}
