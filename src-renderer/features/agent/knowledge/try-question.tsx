import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import type { Ref } from 'react'
import type { KnowledgeMatch } from '#shared/model/platform/knowledge.ts'
import { api } from '../../../client/client.ts'
import { formatCount } from '../../../ui/format.ts'
import { BackButton } from '../../../ui/master-detail.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import type { Scope } from '../use-agent.ts'
import { markedIn, PassageCard } from './file-text.tsx'
import classes from './knowledge.module.css'
import { placeWords } from './text-cards.ts'

/** As many as a conversation gives to the model. */
const mostPassages = 8
const searchDelayMs = 250

/** Searches all files of the agent as a conversation does. */
export function TryQuestion(props: {
  readonly scope: Scope
  readonly question: string
  readonly onQuestion: (question: string) => void
  readonly onRead: (match: KnowledgeMatch) => void
  readonly field: Ref<HTMLInputElement>
}) {
  const { scope, question, onQuestion, onRead, field } = props
  const [query] = useDebouncedValue(question.trim(), searchDelayMs)
  return (
    <section className={classes.pane} aria-label="Try a question">
      <div className={classes.bar}>
        <BackButton />
        <h2 className="h2 cut">Try a question</h2>
      </div>
      <div className={classes.ask}>
        <TextInput
          ref={field}
          type="search"
          aria-label="Question"
          placeholder="Can I return a damaged article?"
          maxLength={500}
          leftSection={<Search />}
          value={question}
          onChange={event => onQuestion(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== 'Escape' || question === '') return
            event.preventDefault()
            event.stopPropagation()
            onQuestion('')
          }}
        />
      </div>
      {/* The keyboard scrolls it. */}
      <section
        className={classes.text}
        aria-label="Passages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
      >
        {query === '' || question.trim() === '' ? (
          <p className="t3">Shows the passages of all files that the agent finds for a question.</p>
        ) : (
          <Found scope={scope} query={query} onRead={onRead} />
        )}
      </section>
    </section>
  )
}

function Found(props: {
  readonly scope: Scope
  readonly query: string
  readonly onRead: (match: KnowledgeMatch) => void
}) {
  const { scope, query, onRead } = props
  const found = useQuery(
    api.platform.knowledge.search.queryOptions({
      input: { ...scope, query, limit: mostPassages },
      placeholderData: keepPreviousData,
    }),
  )
  const { data } = found
  return (
    <>
      <p className={`${classes.found} sm t3`} role="status">
        {data !== undefined && countWords(data.length)}
      </p>
      {data === undefined && <QueryState query={found} failed="The files could not be searched" />}
      {data?.map(match => (
        <PassageCard
          key={`${match.fileId}/${match.index}`}
          place={`${match.name}, ${placeWords(match.place, { pages: null }).toLowerCase()}`}
          text={match.text}
          marked={markedIn(match)}
          onRead={() => onRead(match)}
        />
      ))}
    </>
  )
}

function countWords(count: number): string {
  if (count === 0) return 'No passage contains these words.'
  return count === mostPassages ? `The best ${count} passages` : formatCount(count, 'passage')
}
