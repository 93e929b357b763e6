import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useState } from 'react'
import type { ClientToken } from '#shared/model/assistant.ts'
import { api } from '../../client/client.ts'
import { Method } from '../../ui/badges.tsx'
import { cssVariables } from '../../ui/css-variables.ts'
import { formatNumber } from '../../ui/format.ts'
import classes from './try-search.module.css'

/** Milliseconds after the last key. */
const typingMs = 150

/** Searches the tools as a client with a token does that finds them on demand. */
export function TrySearch({ token }: { readonly token: ClientToken }) {
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), typingMs)
  const { data, error } = useQuery(
    api.assistant.findTools.queryOptions({
      input: query === '' ? skipToken : { tokenId: token.tokenId, query },
      placeholderData: keepPreviousData,
    }),
  )
  const answer = query === '' ? undefined : data
  return (
    <section className={classes.search} aria-label="Try a search">
      <div className="row sm">
        <h3 className="h3">Try a search</h3>
        <span className="t3 cut">
          as <code>find_tools</code> answers this client
        </span>
      </div>
      <TextInput
        size="sm"
        type="search"
        aria-label="Search as the client does"
        placeholder="close an issue"
        leftSection={<Search size={14} />}
        rightSectionWidth={90}
        rightSection={
          answer !== undefined && (
            <span className="xs t3 num" role="status">
              {formatNumber(answer.found.length)} of {formatNumber(answer.total)}
            </span>
          )
        }
        value={typed}
        onChange={event => setTyped(event.currentTarget.value)}
        error={error?.message}
      />
      {answer?.found.length === 0 && (
        <p className="sm t3">Nothing fits. Tools are found by name, description and parameters.</p>
      )}
      {answer !== undefined && answer.found.length > 0 && (
        <ol className={classes.found} aria-label="Found tools">
          {answer.found.map(tool => (
            <li key={tool.name}>
              <Link
                className={classes.tool}
                to="/connections/$connectionId/actions"
                params={{ connectionId: tool.connectionId }}
                search={{ action: tool.actionId, panel: 'assistant' }}
              >
                <Method method={tool.method} />
                <span className={classes.about}>
                  <code className="cut">{tool.name}</code>
                  <span className="cut sm t3">
                    <span className="t2">
                      {tool.title} · {tool.connectionName}
                    </span>{' '}
                    {marked(tool.description, query)}
                  </span>
                </span>
                <span className={classes.score}>
                  <span className="sm num">{tool.score.toFixed(2)}</span>
                  <span
                    className={classes.bar}
                    style={cssVariables({ '--share': `${Math.round(tool.score * 100)}%` })}
                  />
                </span>
                <span className={classes.permission} data-tone={tool.permission === 'run' ? 'ok' : 'warn'}>
                  {tool.permission === 'run' ? 'Runs' : 'Asks'}
                </span>
              </Link>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** Shorter words, such as “an”, would be marked everywhere. */
const shortestMarked = 3

/** Returns a text in which the words that begin like those of a query are bold. */
function marked(text: string, query: string) {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length >= shortestMarked)
  return text.split(/([\p{L}\p{N}]+)/u).map((piece, index) => {
    const isFound = words.some(word => piece.toLowerCase().startsWith(word))
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces are in the order of the text
    return isFound ? <b key={index}>{piece}</b> : piece
  })
}
