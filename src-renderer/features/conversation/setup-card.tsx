import type { ReactNode } from 'react'
import tiles from '../../ui/icon-tile.module.css'
import classes from './setup.module.css'

/** One way to get a model. Choosing it, by a click or with the arrow keys, marks it. */
export function SetupCard(props: {
  readonly icon: ReactNode
  readonly name: string
  readonly isChosen: boolean
  readonly pill?: ReactNode
  readonly about: ReactNode
  readonly action: ReactNode
  readonly onPick: () => void
  readonly children?: ReactNode
}) {
  const { icon, name, isChosen, pill, about, action, onPick, children } = props
  return (
    <article className={classes.card} aria-label={name} aria-current={isChosen || undefined} onFocus={onPick}>
      <span className={tiles.tile} data-accent={isChosen || undefined}>
        {icon}
      </span>
      <div className="col">
        <span className="row">
          <h3 className="h3">{name}</h3>
          {pill}
        </span>
        <span className="sm t3">{about}</span>
      </div>
      {action}
      {children !== undefined && <div className={classes.more}>{children}</div>}
    </article>
  )
}
