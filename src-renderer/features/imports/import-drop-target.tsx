import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { FileDown } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../client/client.ts'
import { useOverlays } from '../../shell/overlays.tsx'
import classes from './drop-cover.module.css'

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

/** Says, while a file is held over the window, what happens when it is let go. */
export function DropCover({ into }: { readonly into: string }) {
  return (
    <div className={classes.cover}>
      <div className={classes.target} role="status">
        <FileDown size={20} />
        <p className="h2">Drop to import into {into}</p>
        <p className="sm t2">
          An import document, an OpenAPI document or a curl command, as one file of at most 10 MiB. You see
          what will be made before anything is.
        </p>
      </div>
    </div>
  )
}

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true

/**
 * Takes files that are dropped anywhere in the window, before whatever lies under them does; a file that
 * nobody takes would else replace the page.
 *
 * @param isTaking false lets them fall to the ground.
 * @returns whether files are held over the window.
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void, isTaking = true): boolean {
  const [isOver, setIsOver] = useState(false)

  const onDragOver = useEffectEvent((event: DragEvent) => {
    if (!holdsFiles(event)) return
    event.preventDefault()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = isTaking ? 'copy' : 'none'
    if (!isTaking) return
    event.stopPropagation()
    setIsOver(true)
  })
  const onDragLeave = useEffectEvent((event: DragEvent) => {
    if (event.relatedTarget === null) setIsOver(false)
  })
  const onDrop = useEffectEvent((event: DragEvent) => {
    if (!holdsFiles(event)) return
    event.preventDefault()
    setIsOver(false)
    if (!isTaking) return
    event.stopPropagation()
    onFiles([...(event.dataTransfer?.files ?? [])])
  })

  useEffect(() => {
    const stop = new AbortController()
    const options = { capture: true, signal: stop.signal }
    window.addEventListener('dragenter', event => onDragOver(event), options)
    window.addEventListener('dragover', event => onDragOver(event), options)
    window.addEventListener('dragleave', event => onDragLeave(event), options)
    window.addEventListener('drop', event => onDrop(event), options)
    return () => stop.abort()
  }, [])
  return isOver && isTaking
}
