import { NumberInput, Switch } from '@mantine/core'
import classes from '../sender/sender.module.css'
import type { RateLimitDraft } from './rate-limit-draft.ts'

/** The fields of the rate limit of a connection. */
export function RateLimitFields(props: {
  readonly draft: RateLimitDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<RateLimitDraft>) => void
}) {
  const { draft, problems, onEdit } = props
  const number = (field: 'calls' | 'perSeconds', label: string, suffix: string) => (
    <NumberInput
      aria-label={label}
      w={104}
      min={1}
      suffix={suffix}
      allowDecimal={false}
      hideControls
      clampBehavior="none"
      value={draft[field]}
      onChange={value => onEdit({ [field]: value })}
      aria-invalid={problems[field] !== undefined}
      error={problems[field] !== undefined}
    />
  )
  const wrong = [problems.calls, problems.perSeconds].filter(problem => problem !== undefined)
  return (
    <section className={classes.limit} aria-labelledby="rate-limit">
      <div className="row">
        <h3 id="rate-limit">Rate limit</h3>
        <span className="t2 sm">shared by all nodes</span>
        <span className="push" />
        <Switch
          aria-label="Limit the rate of calls"
          checked={draft.isLimited}
          onChange={event => onEdit({ isLimited: event.currentTarget.checked })}
        />
      </div>
      {draft.isLimited && (
        <div className="row" style={{ gap: 10 }}>
          {number('calls', 'Calls', '')}
          <span>calls in</span>
          {number('perSeconds', 'Seconds', ' s')}
        </div>
      )}
      {wrong.length > 0 ? (
        <p className="sm bad" role="alert">
          {wrong.join(' ')}
        </p>
      ) : (
        <p className="sm t2">
          Workflows wait their turn and lose no attempt. Tests and assistants wait up to 2 s, then get{' '}
          <code>rate_limited</code>.
        </p>
      )}
    </section>
  )
}
