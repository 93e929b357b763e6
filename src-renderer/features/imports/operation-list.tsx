import { Checkbox } from '@mantine/core'
import { CircleMinus } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Method as HttpMethod } from '#shared/model/method.ts'
import { type Constants, constantOf } from '#shared/model/placeholders.ts'
import { Method } from '../../ui/badges.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import type { Choice } from './entry-list.tsx'
import { ImportSearch } from './import-search.tsx'
import { type Counted, inputsOf, type Operation, searchOperations } from './operations.ts'
import classes from './placeholders-step.module.css'

/** In pixels. */
const rowHeight = 30

type Item =
  | { readonly kind: 'heading'; readonly key: 'create' | 'out'; readonly operations: readonly Operation[] }
  | { readonly kind: 'create' | 'out'; readonly key: string; readonly operation: Operation }

const keyOf = ({ key }: Item) => key

/** The operations that become actions, with check boxes, then those that stay out. */
export function OperationList(
  props: Choice & {
    readonly counted: Counted
    readonly constants: Constants
    readonly query: string
    readonly onQuery: (query: string) => void
    /** The number of operations left out that the preview does not list. */
    readonly unlisted: number
  },
) {
  const { counted, constants, query, onQuery, unchecked, onCheck, unlisted } = props
  const list = useRef<VirtualListHandle>(null)
  const [selected, setSelected] = useState<string | null>(null)
  const items = useMemo(
    () => [
      ...itemsOf('create', searchOperations(counted.create, query)),
      ...itemsOf('out', searchOperations(counted.out, query)),
    ],
    [counted, query],
  )

  function toggle(item: Item): void {
    const listed = item.kind === 'heading' ? item.operations : [item.operation]
    if (item.kind === 'out' || item.key === 'out') return
    const names = listed.flatMap(({ toolName }) => toolName ?? [])
    onCheck(
      names,
      names.some(name => unchecked.has(name)),
    )
  }
  return (
    <>
      <div className={classes.search}>
        <ImportSearch
          label="Search operations"
          placeholder="Search by method, path or tag"
          value={query}
          onChange={onQuery}
          onLeave={() => list.current?.focus()}
        />
        {unlisted > 0 && (
          <span className="sm t3 num">{formatNumber(unlisted)} more stay out and are not listed.</span>
        )}
      </div>
      <div className={classes.list}>
        {items.length === 0 ? (
          <EmptyState title="No operation matches" />
        ) : (
          <VirtualList
            ref={list}
            items={items}
            rowHeight={rowHeight}
            getKey={keyOf}
            label="Operations"
            hasControls
            selectedKey={selected}
            onSelect={item => setSelected(item.key)}
            onToggle={toggle}
            renderRow={item =>
              item.kind === 'heading' ? (
                <Heading item={item} unchecked={unchecked} onToggle={() => toggle(item)} />
              ) : (
                <Row item={item} constants={constants} unchecked={unchecked} onToggle={() => toggle(item)} />
              )
            }
          />
        )}
      </div>
    </>
  )
}

function itemsOf(kind: 'create' | 'out', operations: readonly Operation[]): Item[] {
  if (operations.length === 0) return []
  return [
    { kind: 'heading', key: kind, operations },
    ...operations.map(operation => ({ kind, key: operation.key, operation })),
  ]
}

type RowProps<Kind extends Item['kind']> = {
  readonly item: Extract<Item, { readonly kind: Kind }>
  readonly unchecked: ReadonlySet<string>
  readonly onToggle: () => void
}

function Heading({ item, unchecked, onToggle }: RowProps<'heading'>) {
  const { key, operations } = item
  const ticked = operations.filter(({ toolName }) => toolName !== null && !unchecked.has(toolName)).length
  return (
    <div className={classes.heading}>
      {key === 'create' && (
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label="All listed operations"
          checked={ticked === operations.length}
          indeterminate={ticked > 0 && ticked < operations.length}
          onChange={onToggle}
        />
      )}
      {key === 'create' ? 'To create' : 'Stay out'}
      <span className="num t3">{formatNumber(operations.length)}</span>
    </div>
  )
}

function Row(props: RowProps<'create' | 'out'> & { readonly constants: Constants }) {
  const { item, constants, unchecked, onToggle } = props
  const { kind, operation } = item
  const { method, parts, toolName, tags } = operation
  const known = HttpMethod.safeParse(method)
  return (
    <div className={classes.row} data-out={kind === 'out' || undefined}>
      {kind === 'create' ? (
        <Checkbox
          size="xs"
          tabIndex={-1}
          aria-label={toolName ?? ''}
          checked={toolName !== null && !unchecked.has(toolName)}
          onChange={onToggle}
        />
      ) : (
        <CircleMinus size={14} className="t3" role="img" aria-label="Stays out" />
      )}
      {known.success ? <Method method={known.data} /> : <span className="xs t3">{method}</span>}
      <code className="cut" title={tags.length === 0 ? undefined : `Tags: ${tags.join(', ')}`}>
        {parts.map(({ text, name }, index) => {
          const constant = name === null ? undefined : constantOf(constants, name)
          return name === null ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path stay in their order
            <span key={index} className={constant === undefined ? classes.open : classes.constant}>
              {constant ?? text}
            </span>
          )
        })}
      </code>
      <span
        className={`t3 cut ${classes.why}`}
        title={kind === 'create' ? (toolName ?? undefined) : undefined}
      >
        {kind === 'create' ? (
          inputsText(operation, constants)
        ) : (
          <span title={operation.why ?? ''}>{operation.why}</span>
        )}
      </span>
    </div>
  )
}

/** Returns what calls give and what is fixed: “1 constant, 12 parameters”. */
function inputsText(operation: Operation, given: Constants): string {
  const { constants, parameters } = inputsOf(operation, given)
  const words = [
    constants > 0 && formatCount(constants, 'constant'),
    (parameters > 0 || constants === 0) && formatCount(parameters, 'parameter'),
  ]
  return words.filter(Boolean).join(', ')
}
