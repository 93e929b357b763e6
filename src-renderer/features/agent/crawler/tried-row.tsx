import { CircleCheck, CircleMinus, CircleX, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Crawler } from '#shared/model/platform/crawler.ts'
import { parseHttp, type Verdict } from '#shared/platform/crawler-patterns.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import classes from './crawler.module.css'
import { marksOf, remarkOn } from './explain.ts'

const reasons = {
  included: { icon: CircleCheck, color: 'ok', words: 'Taken by' },
  under_start: { icon: CircleCheck, color: 'ok', words: 'Taken: every path counts' },
  excluded: { icon: CircleX, color: 'bad', words: 'Dropped by' },
  no_pattern: { icon: CircleMinus, color: 't3', words: 'No pattern takes it' },
  other_host: { icon: CircleMinus, color: 't3', words: 'Another host' },
  not_a_url: { icon: TriangleAlert, color: 'warn', words: 'Not a URL' },
}

/** A tried URL with the pattern that decided about it. */
export function TriedRow(props: {
  readonly verdict: Verdict
  readonly crawler: Crawler
  readonly isMarked: boolean
  readonly onRemove: () => void
}) {
  const { verdict, crawler, isMarked, onRemove } = props
  const { url, taken, reason, rule } = verdict
  const { icon: Icon, color, words } = reasons[reason]
  const remark = remarkOn(verdict, crawler)
  return (
    <div className={classes.row} data-marked={isMarked || undefined}>
      <Icon size={16} className={color} />
      <div className="col">
        <code className={`cut ${classes.url}`} title={url}>
          <MarkedUrl verdict={verdict} />
        </code>
        {remark !== null && <span className={`cut ${classes.remark}`}>{remark}</span>}
      </div>
      <span className={`sm cut ${taken || color === 't3' ? 't2' : color}`} title={rule ?? undefined}>
        {words} {rule !== null && <code>{rule}</code>}
      </span>
      <span className={classes.remove}>
        <IconButton
          icon={X}
          size="xs"
          label={`Remove ${url}`}
          onClick={event => {
            event.stopPropagation()
            onRemove()
          }}
        />
      </span>
    </div>
  )
}

/** A URL with the parts marked that decided about it. */
function MarkedUrl({ verdict }: { readonly verdict: Verdict }) {
  const { url, taken } = verdict
  const marks = marksOf(verdict)
  const host = url.slice(0, Math.min(parseHttp(url)?.pathAt ?? 0, marks[0]?.start ?? url.length))
  const pieces: ReactNode[] = [
    <span key="host" className="t3">
      {host}
    </span>,
  ]
  let at = host.length
  for (const { start, end } of marks) {
    pieces.push(url.slice(at, start))
    pieces.push(
      <mark key={start} className={classes.mark} data-tone={taken ? 'ok' : 'bad'}>
        {url.slice(start, end)}
      </mark>,
    )
    at = end
  }
  return (
    <>
      {pieces}
      {url.slice(at)}
    </>
  )
}
