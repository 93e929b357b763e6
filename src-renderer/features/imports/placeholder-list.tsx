import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { PlaceholderInPaths } from '#shared/model/import-operation.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { ImportSearch } from './import-search.tsx'
import { type Filling, type Fillings, fillingOf } from './operations.ts'
import { PlaceholderField } from './placeholder-field.tsx'
import classes from './placeholders-step.module.css'

/** In pixels, until a field is measured: its choice, the lines of a description, and the value of a constant. */
const heights = { field: 63, description: 22, constant: 34 }

/** The placeholders of a document, each with its choice, and a search. Only those in view are rendered. */
export function PlaceholderList(props: {
  readonly placeholders: readonly PlaceholderInPaths[]
  readonly fillings: Fillings
  readonly onFill: (name: string, filling: Filling) => void
  /** The number of operations that have one. */
  readonly operations: number
}) {
  const { placeholders, fillings, onFill, operations } = props
  const [query, setQuery] = useState('')
  const [focused, setFocused] = useState<string | null>(null)
  const scroller = useRef<HTMLElement>(null)
  const shown = useMemo(() => searchPlaceholders(placeholders, query), [placeholders, query])
  const at = focused === null ? -1 : shown.findIndex(({ name }) => name === focused)
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    getItemKey: index => shown[index]?.name ?? index,
    estimateSize(index) {
      const { name = '', description } = shown[index] ?? {}
      const { isConstant } = fillingOf(fillings, name)
      return (
        heights.field +
        (description === undefined ? 0 : heights.description) +
        (isConstant ? heights.constant : 0)
      )
    },
    overscan: 6,
    // The field with the focus keeps it when it leaves the view.
    rangeExtractor: range => {
      const indices = defaultRangeExtractor(range)
      return at === -1 || indices.includes(at) ? indices : [...indices, at].sort((a, b) => a - b)
    },
  })
  // Moving the list for a field that is a little higher would end the scrolling of a key.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false
  const rows = virtualizer.getVirtualItems()
  useEffect(() => scroller.current?.focus(), [])
  const focusFirst = () => scroller.current?.querySelector('input')?.focus()
  return (
    <div className={classes.placeholders}>
      <div className={classes.intro}>
        <h3 className="h3 num">
          {formatCount(placeholders.length, 'placeholder')} in {formatCount(operations, 'operation')}
        </h3>
        <p className="sm t2">Calls give a value for each. Make one constant if it never changes.</p>
      </div>
      <div className={classes.search}>
        <ImportSearch
          label="Search placeholders"
          placeholder="Search by name or description"
          value={query}
          onChange={next => {
            setQuery(next)
            scroller.current?.scrollTo(0, 0)
          }}
          onLeave={focusFirst}
        />
        <span className="sr" role="status">
          {query === '' ? '' : formatCount(shown.length, 'placeholder')}
        </span>
        {query !== '' && (
          <span className="sm t3 num nowrap">
            {formatNumber(shown.length)} of {formatNumber(placeholders.length)}
          </span>
        )}
      </div>
      <section
        className={classes.fields}
        aria-label="Placeholders"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        ref={scroller}
        onFocus={({ target }) =>
          setFocused(target.closest<HTMLElement>('[data-placeholder]')?.dataset.placeholder ?? null)
        }
        onBlur={() => setFocused(null)}
      >
        {shown.length === 0 && <EmptyState title="No placeholder matches" />}
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {rows.map(({ index, start }) => {
            const placeholder = shown[index]
            if (placeholder === undefined) return null
            const { name } = placeholder
            return (
              <div
                key={name}
                ref={virtualizer.measureElement}
                data-index={index}
                data-placeholder={name}
                className={classes.placed}
                style={{ transform: `translateY(${start}px)` }}
              >
                <PlaceholderField
                  placeholder={placeholder}
                  filling={fillingOf(fillings, name)}
                  onFill={onFill}
                />
              </div>
            )
          })}
        </div>
      </section>
    </div>
  )
}

/** Returns the placeholders whose name or description contains all words of a query. */
function searchPlaceholders(
  placeholders: readonly PlaceholderInPaths[],
  query: string,
): readonly PlaceholderInPaths[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return placeholders.filter(({ name, description = '' }) => {
    const text = `${name} ${description}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}
