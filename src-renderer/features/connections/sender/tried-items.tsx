import type { SenderTrial } from '#shared/model/sender/sender-trial.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import classes from './tried-items.module.css'

/** Shows the events of a list that was tried, each with how many workflows it would start. */
export function TriedItems({
  items: { total, first },
}: {
  readonly items: NonNullable<SenderTrial['items']>
}) {
  return (
    <section className={classes.items}>
      <h3 className="row">
        <span id="tried-items">Items of the last request</span>
        <span className="sm t2 num">
          {formatNumber(first.length)} of {formatNumber(total)}
        </span>
      </h3>
      <table aria-labelledby="tried-items">
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Event</th>
            <th scope="col">To</th>
          </tr>
        </thead>
        <tbody>
          {first.map(({ eventName, workflows }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is what tells items apart
            <tr key={index}>
              <td className="num">{index}</td>
              <td>
                <code className="cut" title={eventName}>
                  {eventName}
                </code>
              </td>
              <td className={workflows === 0 ? 't2' : undefined}>
                {workflows === 0 ? 'nothing' : formatCount(workflows, 'workflow')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
