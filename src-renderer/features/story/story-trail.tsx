import { runsStage, type TraceTone } from '../../entities/run/event-runs.ts'
import { formatBytes, formatCount, formatNumber } from '../../ui/format.ts'
import classes from './story.module.css'
import { callCounts, requestId, type Story, type StoryRow } from './story-rows.ts'

type Stage = {
  readonly title: string
  readonly detail: string
  readonly tone: TraceTone
  /** The id of the row that it leads to; undefined for none. */
  readonly row: string | undefined
}

/** The stages of a story, each a button that chooses its first row. */
export function StoryTrail(props: {
  readonly story: Story
  readonly rows: readonly StoryRow[]
  /** Null until it is known. */
  readonly runCount: number | null
  readonly choose: (id: string) => void
}) {
  const { choose } = props
  return (
    <div className={classes.trailBox}>
      <ol className={classes.trail} aria-label="From the request to the calls">
        {stagesOf(props).map(({ title, detail, tone, row }) => (
          <li key={title} data-tone={tone}>
            <div className="cut">
              {row === undefined ? (
                <span className="w5">{title}</span>
              ) : (
                <button type="button" className="link" onClick={() => choose(row)}>
                  {title}
                </button>
              )}
            </div>
            <div className="t3 num cut">{detail}</div>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** The rows of what follows the checks. */
const afterChecks: ReadonlySet<string> = new Set(['stored', 'check:Stored', 'check:Trigger'])

function stagesOf({
  story,
  rows,
  runCount,
}: {
  readonly story: Story
  readonly rows: readonly StoryRow[]
  readonly runCount: number | null
}): readonly Stage[] {
  const { item, event, runs } = story
  const request: Stage[] = []
  if (item !== null) {
    const hasFailed = item.type === 'event.rejected'
    const detail = hasFailed ? item.code : formatBytes(item.bytes)
    request.push({ title: 'Request', detail, tone: hasFailed ? 'bad' : 'ok', row: requestId })
    const checks = rows.filter(({ kind, id }) => kind === 'check' && !afterChecks.has(id))
    if (checks.length > 0) {
      const failed = checks.find(check => check.hasFailed)
      request.push({
        title: formatCount(checks.length, 'check'),
        detail: failed === undefined ? 'all passed' : `failed: ${failed.title}`,
        tone: failed === undefined ? 'ok' : 'bad',
        row: (failed ?? checks[0])?.id,
      })
    }
    if (event !== null)
      request.push(
        event.inMemory === true
          ? { title: 'Not stored', detail: 'in memory only', tone: 'off', row: undefined }
          : { title: 'Stored', detail: 'on disk', tone: 'ok', row: undefined },
      )
    if (hasFailed)
      return [...request, { title: 'No runs', detail: 'nothing started', tone: 'off', row: undefined }]
  }
  if (runCount === null) return request
  const { name, detail, tone } = runsStage(
    runs.map(({ run }) => run),
    event?.duplicateOf != null,
  )
  const isPart = runs.length < runCount || story.isMoreOpen
  const many = `${story.isMoreOpen ? 'over ' : ''}${formatNumber(runCount)} runs`
  const ofRuns: Stage = {
    ...{ title: isPart ? many : name, detail: isPart ? `shown: ${detail}` : detail, tone },
    row: runs[0]?.run.runId,
  }
  const { count, failed, isComplete } = callCounts(runs)
  if (runs.length === 0) return [...request, ofRuns]
  const isAll = isComplete && !isPart
  const first = rows.find(row => row.kind === 'part' && row.hasFailed === failed > 0 && row.from !== null)
  return [
    ...request,
    ofRuns,
    {
      title: `${formatCount(count, 'call')}${isAll ? '' : ' of open runs'}`,
      detail:
        failed === 0
          ? count === 0
            ? 'none'
            : 'all succeeded'
          : failed === count
            ? 'all failed'
            : `${failed} failed`,
      tone: failed > 0 ? 'bad' : count === 0 ? 'off' : 'ok',
      row: count === 0 ? undefined : first?.id,
    },
  ]
}
