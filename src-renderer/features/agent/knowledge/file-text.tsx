import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { Fragment, type RefObject, useRef, useState } from 'react'
import type { KnowledgeFile, KnowledgeMatch } from '#shared/model/platform/knowledge.ts'
import { api } from '../../../client/client.ts'
import { Delayed } from '../../../ui/delayed.tsx'
import { formatCount } from '../../../ui/format.ts'
import { QueryState } from '../../../ui/query-state.tsx'
import { markMatches } from '../../../ui/rank.ts'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import classes from './knowledge.module.css'
import { cardsOf, placeWords } from './text-cards.ts'

const pageSize = 50
const mostMatches = 50
const searchDelayMs = 250

/** The text that the agent reads in a file, piece by piece, and the pieces that contain a text. */
export function FileText(props: {
  readonly file: KnowledgeFile
  /** The passage to begin with. */
  readonly start: number
}) {
  const { file, start } = props
  const [typed, setTyped] = useState('')
  const [from, setFrom] = useState(start)
  const [query] = useDebouncedValue(typed.trim(), searchDelayMs)
  const field = useRef<HTMLInputElement>(null)
  const text = useRef<HTMLElement>(null)
  useShortcut({ keys: 'mod+f', label: 'Find in the text', group: 'Knowledge' }, () => field.current?.focus())
  return (
    <>
      <div className={classes.readHead}>
        <h3 className="h3">What the agent reads</h3>
        <span className="push" />
        <TextInput
          ref={field}
          className={classes.find}
          size="sm"
          type="search"
          aria-label="Find in the text"
          placeholder="Find"
          maxLength={500}
          leftSection={<Search />}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            event.stopPropagation()
            if (typed === '') text.current?.focus()
            setTyped('')
          }}
        />
      </div>
      {/* The keyboard scrolls it. */}
      <section
        ref={text}
        className={classes.text}
        aria-label="Text of the file"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        data-file-text
      >
        {query === '' || typed.trim() === '' ? (
          <Passages key={from} file={file} from={from} onFrom={setFrom} scroller={text} />
        ) : (
          <Matches
            file={file}
            query={query}
            onRead={index => {
              setTyped('')
              setFrom(index)
            }}
          />
        )}
      </section>
    </>
  )
}

function Passages(props: {
  readonly file: KnowledgeFile
  readonly from: number
  readonly onFrom: (index: number) => void
  readonly scroller: RefObject<HTMLElement | null>
}) {
  const { file, from, onFrom } = props
  const query = useInfiniteQuery(
    api.platform.knowledge.text.infiniteOptions({
      input: (at: number) => ({ fileId: file.fileId, from: at, limit: pageSize }),
      initialPageParam: from,
      getNextPageParam: ({ next }) => next ?? undefined,
      // It only changes when the file is read again, which invalidates it.
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  const { data, isFetching, hasNextPage, fetchNextPage } = query
  if (data === undefined)
    return <QueryState query={query} failed="The text could not be read" waiting={<Reading />} />
  const passages = data.pages.flatMap(page => page.passages)
  if (passages.length === 0) return <p className="t3">The file has no text.</p>
  return (
    <>
      {from > 0 && (
        <Button size="xs" mb={10} onClick={() => onFrom(0)}>
          Read from the beginning
        </Button>
      )}
      {cardsOf(passages).map(card => (
        <PassageCard key={card.index} place={placeWords(card.place, file)} text={card.text} />
      ))}
      {hasNextPage && (
        <Button fullWidth loading={isFetching} onClick={() => void fetchNextPage()}>
          Read on
        </Button>
      )}
    </>
  )
}

/** A passage, and below it where it is. */
export function PassageCard(props: {
  readonly place: string
  readonly text: string
  /** The texts to highlight. */
  readonly marked?: readonly string[]
  readonly onRead?: () => void
}) {
  const { place, text, marked = [], onRead } = props
  return (
    <>
      <article className={classes.page} aria-label={place}>
        {markMatches(text, marked.join(' ')).map(
          (piece, index) =>
            // biome-ignore-start lint/suspicious/noArrayIndexKey: pieces of a text are never reordered
            piece.marked ? (
              <mark key={index}>{piece.text}</mark>
            ) : (
              <Fragment key={index}>{piece.text}</Fragment>
            ),
          // biome-ignore-end lint/suspicious/noArrayIndexKey: see above
        )}
      </article>
      <p className={`${classes.pageName} sm t3 num`}>
        {onRead === undefined ? (
          place
        ) : (
          <button type="button" className="link" onClick={onRead}>
            {place}
          </button>
        )}
      </p>
    </>
  )
}

function Matches(props: {
  readonly file: KnowledgeFile
  readonly query: string
  readonly onRead: (index: number) => void
}) {
  const { file, query, onRead } = props
  const found = useQuery(
    api.platform.knowledge.search.queryOptions({
      input: {
        workspaceId: file.workspaceId,
        agentId: file.agentId,
        fileId: file.fileId,
        query,
        limit: mostMatches,
      },
      placeholderData: keepPreviousData,
    }),
  )
  if (found.data === undefined)
    return <QueryState query={found} failed="The text could not be searched" waiting={<Reading />} />
  return (
    <>
      <p className="sm t3" role="status" style={{ paddingBottom: 10 }}>
        {countWords(found.data)}
      </p>
      {found.data.map(match => (
        <PassageCard
          key={match.index}
          place={placeWords(match.place, file)}
          text={match.text}
          marked={markedIn(match)}
          onRead={() => onRead(match.index)}
        />
      ))}
    </>
  )
}

/** Returns the words of a passage that were found. Single letters would be marked within other words too. */
export const markedIn = ({ snippet }: KnowledgeMatch) =>
  snippet.flatMap(({ text, isMatch }) => (isMatch && text.length > 1 ? [text] : []))

function countWords(found: readonly KnowledgeMatch[]): string {
  if (found.length === 0) return 'No passage contains these words.'
  if (found.length === mostMatches) return `The best ${mostMatches} passages`
  return formatCount(found.length, 'passage')
}

const Reading = () => (
  <Delayed ms={500}>
    <p className="sm t3" aria-busy="true">
      Reading…
    </p>
  </Delayed>
)
