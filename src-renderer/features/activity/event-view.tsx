import { Button, SegmentedControl } from '@mantine/core'
import { Copy } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { pathText } from '#shared/model/variable-path.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { triggerText } from '../../entities/event/event-text.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { FindField } from '../../ui/find-field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { HeaderTable } from '../../ui/http-message.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import type { JsonNode } from '../../ui/json-nodes.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { usePrinting } from '../../ui/use-printing.ts'
import lists from './activity.module.css'
import classes from './detail.module.css'

type View = 'payload' | 'trigger' | 'headers' | 'raw'
/** The container limits the tree's height. */
const noLimit = 100_000

/** An event's payload, its trigger as workflows see it, its headers and its original text. */
export function EventView({ event }: { readonly event: StoredEvent }) {
  const { connectionId } = useCurrentConnection()
  const { eventName, dataText, bodyText, inMemory } = event
  const headers = inMemory === true ? null : event.headers
  const [chosen, setView] = useState<View>('payload')
  const [search, setSearch] = useState<string | null>(null)
  const isPrinting = usePrinting()
  const view = chosen === 'headers' && headers === null ? 'payload' : chosen
  const text = useMemo(
    () => (view === 'trigger' ? triggerText(dataText, eventName, connectionId) : dataText),
    [dataText, view, eventName, connectionId],
  )
  const copied = view === 'raw' ? 'Body' : view === 'trigger' ? 'Trigger' : 'Payload'
  const isTree = view === 'payload' || view === 'trigger'
  return (
    <>
      <div className={`row ${classes.views}`}>
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={setView}
          data={optionsOf({
            payload: 'Payload',
            trigger: 'Trigger',
            ...(headers !== null && { headers: <Counted label="Headers" count={headers.length} /> }),
            raw: 'Raw',
          })}
        />
        <span className="push" />
        {isTree && <FindField label="Find in payload" value={search} onChange={setSearch} />}
        <IconButton
          size="xs"
          icon={Copy}
          label={`Copy ${copied.toLowerCase()}`}
          onClick={() => void copyWithToast(copied === 'Body' ? bodyText : text, copied)}
        />
      </div>
      <div className={classes.view}>
        {view === 'headers' && headers !== null ? (
          <ScrollRegion className={classes.scrolls} label="Header fields that scroll">
            <HeaderTable headers={headers} label="Header fields" />
          </ScrollRegion>
        ) : isTree ? (
          <JsonTree
            text={text}
            label={view === 'payload' ? 'Payload' : 'Trigger payload'}
            search={search ?? ''}
            maxHeight={noLimit}
            renderAction={variableAction}
          />
        ) : (
          <JsonBlock text={bodyText} label="Body as it was sent" wrap />
        )}
      </div>
      {isPrinting && view !== 'headers' && headers !== null && (
        <div className={classes.section}>
          <h3 className="h3">Headers</h3>
          <HeaderTable headers={headers} label="All header fields" />
        </div>
      )}
    </>
  )
}

function Counted({ label, count }: { readonly label: string; readonly count: number }) {
  return (
    <>
      {label} <span className={lists.count}>{formatNumber(count)}</span>
    </>
  )
}

function variableAction({ steps }: JsonNode) {
  if (steps.length === 0) return null
  const variable = `{{${pathText(steps.map(String))}}}`
  return (
    <>
      <code className="cut">{variable}</code>
      <Button size="xs" onClick={() => void copyWithToast(variable, `Variable “${variable}”`)}>
        Copy variable
      </Button>
    </>
  )
}
