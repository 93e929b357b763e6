import { TextInput } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from './format.ts'
import { IconButton } from './icon-button.tsx'
import classes from './paged-text.module.css'
import { countLines, findPlace, pagesOf } from './text-pages.ts'

/** Both count from 1. Another object goes to the same place again. */
type Place = { readonly line: number; readonly column: number }

/** How many characters of a place are marked. */
const marked = 80

/** Shows a text of any length, a page at a time, for reading. */
export function PagedText(props: {
  readonly text: string
  readonly label: string
  /** The place to show and mark; null begins at the start. */
  readonly place: Place | null
}) {
  const { text, label, place } = props
  const pages = useMemo(() => pagesOf(text), [text])
  const total = useMemo(() => countLines(text), [text])
  const [shown, setShown] = useState<{ readonly page: number; readonly at: number | null }>({
    page: 0,
    at: null,
  })
  const [wanted, setWanted] = useState('')
  const content = useRef<HTMLElement>(null)
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    if (place === null) return
    setShown(findPlace(text, pages, place))
    content.current?.focus({ preventScroll: true })
  }, [text, pages, place])
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another place is shown
  useLayoutEffect(() => {
    if (mark.current !== null) mark.current.scrollIntoView({ block: 'center', inline: 'center' })
    else content.current?.scrollTo(0, 0)
  }, [shown])

  const index = Math.min(shown.page, pages.length - 1)
  const { from = 0, to = 0, line = 1 } = pages[index] ?? {}
  const next = pages[index + 1]
  const last = next === undefined ? total : next.isWithin ? next.line : next.line - 1
  const at = shown.at !== null && shown.at >= from && shown.at < to ? shown.at : null
  const end = at === null ? null : endOfMark(text, at, to)
  return (
    <section className={classes.paged} aria-label={label}>
      <div className={classes.bar}>
        <span className="num grow" role="status">
          Page {formatNumber(index + 1)} of {formatNumber(pages.length)}{' '}
          <span className="t3">
            {line >= last
              ? `line ${formatNumber(line)}`
              : `lines ${formatNumber(line)} to ${formatNumber(last)}`}
          </span>
        </span>
        <TextInput
          size="xs"
          w={110}
          aria-label="Go to line"
          placeholder="Go to line"
          inputMode="numeric"
          value={wanted}
          onChange={event => setWanted(event.currentTarget.value.replace(/\D/g, '').slice(0, 9))}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || wanted === '') return
            event.preventDefault()
            setShown(findPlace(text, pages, { line: Math.max(1, Number(wanted)), column: 1 }))
          }}
        />
        <IconButton
          icon={ChevronLeft}
          size="xs"
          label="Previous page"
          isOff={index === 0}
          onClick={() => setShown({ page: index - 1, at: null })}
        />
        <IconButton
          icon={ChevronRight}
          size="xs"
          label="Next page"
          isOff={next === undefined}
          onClick={() => setShown({ page: index + 1, at: null })}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section ref={content} className={classes.content} aria-label={`${label}, page`} tabIndex={0}>
        <pre>
          {at === null || end === null ? (
            text.slice(from, to)
          ) : (
            <>
              {text.slice(from, at)}
              <mark ref={mark}>{text.slice(at, end)}</mark>
              {text.slice(end, to)}
            </>
          )}
        </pre>
      </section>
    </section>
  )
}

function endOfMark(text: string, at: number, to: number): number {
  const end = text.indexOf('\n', at)
  return Math.max(at + 1, Math.min(to, at + marked, end === -1 ? to : end))
}
