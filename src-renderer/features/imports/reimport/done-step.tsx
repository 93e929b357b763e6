import { CircleCheck } from 'lucide-react'
import type { ImportUpdate } from '#shared/model/import-comparison.ts'
import { focusOnMount } from '../../../ui/focus.ts'
import { formatCount } from '../../../ui/format.ts'
import classes from './reimport.module.css'

/** Returns how many actions and event types an update has added, changed or switched off. */
export const madeOf = ({ added, changed, disabled }: ImportUpdate) =>
  added.length + changed.length + disabled.length

/** Names that are listed of each kind. */
const maxListed = 100

/** Says what an update has taken. */
export function DoneStep({ done, isUndone }: { readonly done: ImportUpdate; readonly isUndone: boolean }) {
  const { added, changed, disabled } = done
  const title = isUndone
    ? 'The import was taken back'
    : madeOf(done) === 0
      ? 'Everything was kept as it is'
      : 'The connection is up to date'
  return (
    <section className={classes.done} aria-label="Done" tabIndex={-1} ref={focusOnMount}>
      <div className="row">
        <CircleCheck size={20} className="ok" />
        <h3 className="h2">{title}</h3>
      </div>
      {!isUndone && (
        <>
          <Names words="Added" names={added} />
          <Names words="Changed" names={changed} />
          <Names words="Switched off" names={disabled} />
        </>
      )}
    </section>
  )
}

function Names({ words, names }: { readonly words: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null
  const more = names.length - maxListed
  return (
    <section className={classes.part}>
      <h4 className="h3">
        {words} <span className="t3 num">{names.length}</span>
      </h4>
      <ul className="sm">
        {names.slice(0, maxListed).map(name => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
        {more > 0 && <li className="t3">and {formatCount(more, 'other')}</li>}
      </ul>
    </section>
  )
}
