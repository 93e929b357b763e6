import { CircleX, FileSearch } from 'lucide-react'
import { memo } from 'react'
import type { SearchPart } from '#shared/model/conversation.ts'
import { placeLabel } from '#shared/platform/place-labels.ts'
import badges from '../../ui/badges.module.css'
import { formatCount } from '../../ui/format.ts'
import classes from './call.module.css'
import { Line, Running } from './line.tsx'

/** A search of the agent’s knowledge in one line, which opens to the passages that it has found. */
export const SearchLine = memo(function SearchLine(props: {
  readonly search: SearchPart
  readonly isOpen: boolean
  readonly onToggle: (toolCallId: string) => void
}) {
  const { search, isOpen, onToggle } = props
  const { toolCallId, query, state, passages } = search
  return (
    <Line
      id={toolCallId}
      label="Search of the knowledge"
      isOpen={isOpen}
      onToggle={onToggle}
      head={
        <>
          <FileSearch size={14} />
          <code className={`w5 ${classes.name}`}>search_knowledge</code>
          <code className="t3 cut">{query}</code>
        </>
      }
      end={
        state === 'running' ? (
          <Running>Searching…</Running>
        ) : state === 'failed' ? (
          <span className={badges.status} data-tone="bad">
            failed
          </span>
        ) : (
          <span className="sm t3 num">{formatCount(passages.length, 'passage')}</span>
        )
      }
    >
      {() => <Passages search={search} />}
    </Line>
  )
})

function Passages({ search: { state, passages, omitted, error } }: { readonly search: SearchPart }) {
  return (
    <>
      {state === 'failed' && (
        <p className={classes.note}>
          <CircleX size={14} className="bad" />
          <span>{error?.message ?? 'The search failed.'} The assistant was told so.</span>
        </p>
      )}
      {state === 'answered' && passages.length === 0 && (
        <p className={classes.note}>No passage in the agent’s files matches.</p>
      )}
      {passages.map(({ fileName, place, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: passages keep their places
        <figure key={index} className={classes.passage}>
          <figcaption className="sm t3">
            <span className="w5">{fileName}</span>, {placeLabel(place)}
          </figcaption>
          <blockquote>{text}</blockquote>
        </figure>
      ))}
      {omitted > 0 && (
        <p className={classes.note}>
          {formatCount(omitted, 'more passage')} left out, because the text was too long for the assistant.
        </p>
      )}
    </>
  )
}
