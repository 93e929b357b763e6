import { Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ConversationSummary } from '#shared/model/conversation.ts'
import { SkeletonRows } from '../../ui/delayed.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatDay, formatHourMinute } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useFocusList } from '../../ui/keyboard-list.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useNow } from '../../ui/use-now.ts'
import { titleOf } from './conversation-title.ts'
import { groupByDay } from './group-conversations.ts'
import classes from './list.module.css'
import { useConversationPlace } from './use-conversation-place.ts'
import type { useConversations } from './use-conversations.ts'

/** The conversations of the workspace by day, with a search. */
export function ConversationList(props: {
  readonly query: ReturnType<typeof useConversations>
  readonly onNew: () => void
}) {
  const { query, onNew } = props
  const { conversations, error, isPending, isSearched } = query
  const place = useConversationPlace()
  const now = useNow()
  const isUnused =
    conversations.length === 0 && !isSearched && !isPending && error === null && place.text === ''

  const { list, listProps } = useFocusList<HTMLElement>('a')
  return (
    <section className={classes.list} aria-label="Conversations">
      <div className={classes.bar}>
        <h2 className="h3">Conversations</h2>
        <span className="push" />
        <IconButton icon={Plus} label="New conversation (N)" onClick={onNew} />
      </div>
      {isUnused ? (
        <p className={classes.hint}>Conversations appear here. They are kept like events.</p>
      ) : (
        <>
          <div className={classes.search}>
            <SearchField
              className={undefined}
              value={place.text}
              onChange={place.setText}
              label="Search conversations"
              placeholder="Search"
              does="Search the conversations"
              group="Conversation"
              list={list}
            />
          </div>
          <nav {...listProps} className="scroll" aria-label="Conversations by day">
            {groupByDay(conversations, now).map(({ name, items }) => (
              <section key={name} aria-label={name}>
                <h3 className={classes.group}>{name}</h3>
                {items.map(one => (
                  <Item
                    key={one.conversationId}
                    conversation={one}
                    isOpen={one.conversationId === place.conversationId}
                    isEarlier={name === 'Earlier'}
                  />
                ))}
              </section>
            ))}
            {query.canLoadMore && conversations.length > 0 && (
              <div className={classes.more}>
                <Button size="xs" variant="subtle" onClick={query.loadMore}>
                  Show older
                </Button>
              </div>
            )}
            {conversations.length === 0 &&
              (error !== null || isPending ? (
                <QueryState query={query} failed="The conversations could not be read" waiting={skeleton} />
              ) : isSearched ? (
                <EmptyState
                  title="Nothing matches"
                  actions={<Button onClick={() => place.setText('')}>Show all</Button>}
                >
                  The search covers titles, messages, arguments and results.
                </EmptyState>
              ) : null)}
          </nav>
        </>
      )}
      <div className="sr" role="status">
        {isSearched && !isPending ? formatCount(conversations.length, 'conversation') : ''}
      </div>
    </section>
  )
}

const statusWords = {
  idle: null,
  answering: 'Answering',
  asking: 'Waiting for you',
  failed: 'Failed',
} as const
const statusClasses = { idle: '', answering: 'acc', asking: 'warn', failed: 'bad' } as const

function Item(props: {
  readonly conversation: ConversationSummary
  readonly isOpen: boolean
  readonly isEarlier: boolean
}) {
  const { conversation, isOpen, isEarlier } = props
  const { conversationId, updatedAt, calls, status } = conversation
  const { text } = useConversationPlace()
  const word = statusWords[status]
  return (
    <Link
      to="/assistant/conversation/{-$conversationId}"
      params={{ conversationId }}
      search={text === '' ? {} : { text }}
      className={classes.item}
      aria-current={isOpen ? 'page' : undefined}
    >
      <span className={isOpen ? 'w5 cut' : 'cut'}>{titleOf(conversation)}</span>
      <span className="sm t3 cut num">
        <time dateTime={updatedAt}>{isEarlier ? formatDay(updatedAt) : formatHourMinute(updatedAt)}</time> ·{' '}
        {word === null ? (
          calls === 0 ? (
            'no calls'
          ) : (
            formatCount(calls, 'call')
          )
        ) : (
          <span className={statusClasses[status]}>{word}</span>
        )}
      </span>
    </Link>
  )
}

const skeleton = (
  <SkeletonRows count={4} className={classes.item}>
    <Skeleton width="70%" height={10} my={5} />
    <Skeleton width="40%" height={8} my={5} />
  </SkeletonRows>
)
