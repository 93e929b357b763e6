import classes from './badges.module.css'

/** What was answered: a status with an optional word, or the code of what went wrong instead. */
export function StatusCode({
  status,
  text,
}: {
  readonly status: number | null
  readonly text?: string | null
}) {
  const tone = status === null ? 'bad' : status < 300 ? 'ok' : status < 400 ? 'mute' : 'bad'
  return (
    <span className={classes.status} data-tone={tone}>
      {[status, text].filter(part => part !== null && part !== undefined && part !== '').join(' ')}
    </span>
  )
}
