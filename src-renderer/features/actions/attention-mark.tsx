import { Tooltip } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'

/** A triangle beside a name, with what to look at. */
export function AttentionMark({ attention }: { readonly attention: readonly string[] }) {
  if (attention.length === 0) return null
  const words = attention.join(' ')
  return (
    <Tooltip label={words} multiline maw={320}>
      <span className="warn" style={{ display: 'inline-flex', flex: 'none' }}>
        <TriangleAlert size={14} aria-hidden="true" />
        <span className="sr">{words}</span>
      </span>
    </Tooltip>
  )
}
