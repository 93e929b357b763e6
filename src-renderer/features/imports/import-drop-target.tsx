import { useMatches, useParams } from '@tanstack/react-router'
import { useConnection } from '../../entities/connection/use-connections.ts'
import { useOverlays } from '../../overlays.tsx'
import { DropCover, useFileDrop } from '../../ui/file-drop.tsx'

/** Imports a file dropped on any screen: into the open connection, or into a new one. */
export function ImportDropTarget() {
  const path = useMatches({ select: matches => matches.at(-1)?.pathname ?? '' })
  // That page takes files itself.
  return path === '/agent/knowledge' ? null : <ImportTarget isInWorkflows={path.startsWith('/workflows')} />
}

function ImportTarget({ isInWorkflows }: { readonly isInWorkflows: boolean }) {
  const { current, open } = useOverlays()
  const { connectionId } = useParams({ strict: false })
  const name = useConnection(connectionId)?.name
  const isOver = useFileDrop(files => {
    if (isInWorkflows) return open({ kind: 'import-workflow', files })
    const request = connectionId === undefined ? { files } : { files, connectionId }
    open({ kind: 'import', request })
  }, current === null)
  return (
    isOver &&
    (isInWorkflows ? (
      <DropCover title="Drop to import a workflow">An exported workflow, as one JSON file.</DropCover>
    ) : (
      <ImportCover into={name ?? 'a new connection'} />
    ))
  )
}

/** Says where a dragged import document goes. */
export function ImportCover({ into }: { readonly into: string }) {
  return (
    <DropCover title={`Drop to import into ${into}`}>
      An import document, an OpenAPI document or a curl command, as one file of at most 16 MiB. A preview
      shows what will be created.
    </DropCover>
  )
}
