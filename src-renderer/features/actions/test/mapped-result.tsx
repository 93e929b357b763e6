import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { headerValues, type ReceivedResponse } from '#shared/model/call.ts'
import { api } from '../../../client/client.ts'
import { Tag } from '../../../ui/badges.tsx'
import { binarySize, formatCount } from '../../../ui/format.ts'
import { type JsonNodes, readJsonNodes } from '../../../ui/json-nodes.ts'
import { blankRow } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { estimateTokens, jsonOf, mappedFields, mappedText, namesAnswer } from './mapped-fields.ts'
import classes from './test.module.css'

/** Maximum number of characters of a value that are shown. */
const shownCharacters = 400

/** In a window this low the mapped result starts folded, so that the response has room. */
const low = '(max-height: 699px)'

/** Shows what the assistant gets of a response, and about how many tokens that is. Can be folded. */
export function MappedResult(props: {
  readonly response: ReceivedResponse
  /** Its body; null for one that is not JSON. */
  readonly nodes: JsonNodes | null
  readonly form: DraftForm
}) {
  const { response, nodes, form } = props
  const { status, body } = response
  const mapping = form.draft.responseMapping
  const { data: settings } = useQuery(api.settings.get.queryOptions())
  const rows = useMemo(() => mapping.filter(({ alias, path }) => alias !== '' && path !== ''), [mapping])
  const isJson = nodes !== null
  const isGood = status >= 200 && status < 300
  const applies = isGood && rows.length > 0 && (isJson || namesAnswer(rows))
  const fields = useMemo(() => {
    const read = applies ? (nodes ?? readJsonNodes(JSON.stringify({ result: body }))) : null
    return read === null ? [] : mappedFields({ status, headers: headerValues(response), nodes: read }, rows)
  }, [applies, nodes, rows, status, body, response])
  const text = useMemo(() => {
    if (applies) return mappedText(fields)
    return nodes === null ? JSON.stringify({ result: body }) : jsonOf(nodes, 0)
  }, [applies, fields, nodes, body])
  const limit = settings?.assistantTextBytes ?? Number.POSITIVE_INFINITY
  const isCut = text.length > limit || new TextEncoder().encode(text).length > limit

  const isLow = useMediaQuery(low, window.matchMedia(low).matches)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = chosen ?? !isLow
  const id = useId()

  return (
    <section
      className={classes.mapped}
      aria-label="What the assistant receives"
      data-folded={!isOpen || undefined}
    >
      <div className="row">
        <h3 className="h3 nowrap">
          <button
            type="button"
            className={classes.fold}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setChosen(!isOpen)}
          >
            <ChevronRight data-open={isOpen || undefined} />
            {applies ? 'Mapped result' : 'Whole response'}
          </button>
        </h3>
        <span className="sm t3 cut">what the assistant receives</span>
        <span className="push num">
          <Tag>about {formatCount(estimateTokens(isCut ? text.slice(0, limit) : text), 'token')}</Tag>
        </span>
      </div>
      <div id={id} hidden={!isOpen}>
        {applies ? (
          <dl className={classes.fields}>
            {fields.map(({ alias, json, kind, isThere, path }) => (
              <div key={alias} style={{ display: 'contents' }}>
                <dt className="cut" title={alias}>
                  {alias}
                </dt>
                <dd
                  className="cut"
                  data-kind={kind}
                  title={json.length > 60 ? json.slice(0, 1000) : undefined}
                >
                  {json.slice(0, shownCharacters)}
                  {!isThere && <span className="t3"> nothing at {path}</span>}
                </dd>
              </div>
            ))}
          </dl>
        ) : (
          <div className="stack" style={{ gap: 6, justifyItems: 'start' }}>
            <p className="sm t2">{whyWhole(status, isJson)}</p>
            {isGood && nodes?.kinds[0] === 'array' && (
              <Button
                size="xs"
                onClick={() =>
                  form.set(({ responseMapping }) => ({
                    responseMapping: [
                      ...responseMapping,
                      { ...blankRow.responseMapping(), alias: 'items', path: '$body' },
                    ],
                  }))
                }
              >
                Map the list as items
              </Button>
            )}
          </div>
        )}
        {isCut && (
          <p className="sm warn">
            The assistant gets the first {binarySize(limit)}, and a note that the rest is missing.
          </p>
        )}
      </div>
    </section>
  )
}

function whyWhole(status: number, isJson: boolean): string {
  if (status < 200 || status >= 300)
    return `The status is not 2xx, so the assistant gets the status ${status} and the whole body.`
  if (!isJson) return 'The response is not JSON, so the assistant gets its text as { "result": … }.'
  return 'Map the fields that it needs: select one above, then “Map field”.'
}
