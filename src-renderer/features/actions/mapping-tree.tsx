import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { parseDotPath } from '#shared/model/response-mapping.ts'
import type { JsonNode, JsonNodes } from '../../ui/json-nodes.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import type { ActionDraft } from './action-draft.ts'
import { suggestAlias } from './suggest-alias.ts'
import type { DraftForm } from './use-action-draft.ts'

/** A response as a tree whose fields can be mapped; those that are bear their alias. */
export function MappingTree(props: {
  readonly text: string
  /** Of the text, where they are known. */
  readonly nodes?: JsonNodes | null
  readonly form: DraftForm
  readonly search?: string
}) {
  const { text, nodes, form, search = '' } = props
  const { draft, set } = form
  const [selected, setSelected] = useState<string | null>(null)
  const marks = useMemo(
    () => new Map(draft.mapping.filter(({ path }) => path !== '').map(({ path, alias }) => [path, alias])),
    [draft.mapping],
  )
  const toggle = (path: string) => set(before => toggleMapping(before, path))
  useShortcut(
    { keys: 'mod+shift+m', label: 'Map the selected field', group: 'Action' },
    () => selected !== null && toggle(selected),
    { enabled: selected !== null },
  )
  function renderAction({ path }: JsonNode) {
    if (path === null) return null
    return (
      <Button size="xs" onClick={() => toggle(path)}>
        {isMapped(draft, path) ? 'Unmap' : 'Map field'}
      </Button>
    )
  }
  return (
    <JsonTree
      text={text}
      label="Response"
      marks={marks}
      selectedPath={selected}
      onSelect={({ path }) => setSelected(path)}
      renderAction={renderAction}
      search={search}
      {...(nodes === undefined ? {} : { nodes })}
    />
  )
}

const normal = (path: string) => parseDotPath(path)?.join('.') ?? path
const isMapped = ({ mapping }: ActionDraft, path: string) =>
  mapping.some(row => normal(row.path) === normal(path))

/** Maps a field under an alias of its own, or unmaps it. */
function toggleMapping(draft: ActionDraft, path: string): Pick<ActionDraft, 'mapping' | 'nextId'> {
  const { mapping, nextId } = draft
  if (isMapped(draft, path))
    return { mapping: mapping.filter(row => normal(row.path) !== normal(path)), nextId }
  const alias = suggestAlias(path, new Set(mapping.map(row => row.alias)))
  return { mapping: [...mapping, { id: nextId, alias, path }], nextId: nextId + 1 }
}
