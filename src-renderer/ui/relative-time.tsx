import { Tooltip } from '@mantine/core'
import { formatExact, formatRelative } from './format.ts'
import { useNow } from './use-now.ts'

/** When something happened, counted from now; exactly in the tooltip. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <Tooltip label={formatExact(at)}>
      <time dateTime={at} className="num nowrap">
        {formatRelative(at, now)}
      </time>
    </Tooltip>
  )
}
