import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../client/client.ts'
import { useOverlays } from '../../shell/overlays.tsx'
import { DropCover } from './drop-cover.tsx'
import { useFileDrop } from './use-file-drop.ts'

/** Lets a file be dropped on any screen to import it: on a connection's into that one, else into a new one. */
export function ImportDropTarget() {
  const { current, open } = useOverlays()
  const { connectionId } = useParams({ strict: false })
  const { data: connections } = useQuery(api.connections.list.queryOptions({ input: {} }))
  const name = connections?.find(one => one.connectionId === connectionId)?.name
  const isOver = useFileDrop(files => {
    const request = connectionId === undefined ? { files } : { files, connectionId }
    open({ kind: 'import', request })
  }, current === null)
  return isOver && <DropCover into={name ?? 'a new connection'} />
}
