import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { parseDotPath } from '#shared/model/response-mapping.ts'
import type { JsonNode, JsonNodes } from '../../ui/json-nodes.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { type ActionDraft, blankRow } from './action-draft.ts'
import { suggestAlias } from './suggest-alias.ts'
import type { DraftForm } from './use-action-draft.ts'

/** Shows a response as a tree. A field can be mapped, and a mapped field shows its alias. */
export function MappingTree(props: {
  readonly text: string
  /** The nodes of the text, if the caller has read them. */
  readonly nodes?: JsonNodes | null
  readonly form: DraftForm
  readonly search?: string
  readonly onSelect?: (path: string | null) => void
}) {
  const { text, nodes, form, search = '', onSelect } = props
  const { draft, set } = form
  const [selected, setSelected] = useState<string | null>(null)
  const marks = useMemo(
    () =>
      new Map(
        draft.responseMapping.filter(({ path }) => path !== '').map(({ path, alias }) => [path, alias]),
      ),
    [draft.responseMapping],
  )
  const toggle = (path: string) => set(before => toggleMapping(before, path))
  useShortcut(
    { keys: 'mod+shift+m', label: 'Map the selected field', group: 'Action' },
    () => selected !== null && toggle(selected),
    selected !== null,
  )
  function renderAction({ path }: JsonNode) {
    return path === null ? null : <MapButton path={path} form={form} />
  }
  return (
    <JsonTree
      text={text}
      label="Response"
      marks={marks}
      selectedPath={selected}
      onSelect={({ path }) => {
        setSelected(path)
        onSelect?.(path)
      }}
      renderAction={renderAction}
      search={search}
      {...(nodes === undefined ? {} : { nodes })}
    />
  )
}

/** Maps a part of an answer under a new alias, or removes its mapping. */
export function MapButton(props: {
  readonly path: string
  /** Names the part, where several buttons are shown at once. */
  readonly label?: string
  readonly form: DraftForm
}) {
  const { path, label, form } = props
  const verb = isMapped(form.draft, path) ? 'Unmap' : 'Map'
  return (
    <Button
      size="xs"
      variant={label === undefined || verb === 'Unmap' ? 'default' : 'subtle'}
      aria-label={label && `${verb} ${label}`}
      onClick={() => form.set(before => toggleMapping(before, path))}
    >
      {verb === 'Map' && label === undefined ? 'Map field' : verb}
    </Button>
  )
}

const normal = (path: string) => parseDotPath(path)?.join('.') ?? path
const isMapped = ({ responseMapping }: ActionDraft, path: string) =>
  responseMapping.some(row => normal(row.path) === normal(path))

/** Maps a field under a new alias, or removes its mapping. */
function toggleMapping(draft: ActionDraft, path: string): Partial<ActionDraft> {
  const { responseMapping: rows } = draft
  if (isMapped(draft, path)) return { responseMapping: rows.filter(row => normal(row.path) !== normal(path)) }
  const alias = suggestAlias(path, new Set(rows.map(row => row.alias)))
  return { responseMapping: [...rows, { ...blankRow.responseMapping(), alias, path }] }
}
