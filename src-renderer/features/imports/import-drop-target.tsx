import { useWindowEvent } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMatches, useParams } from '@tanstack/react-router'
import { FileDown } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { api } from '../../client/client.ts'
import { useOverlays } from '../../overlays.tsx'
import classes from './drop-cover.module.css'

/** Imports a file dropped on any screen: into the open connection, or into a new one. */
export function ImportDropTarget() {
  const path = useMatches({ select: matches => matches.at(-1)?.pathname ?? '' })
  // That page takes files itself.
  return path === '/agent/knowledge' ? null : <ImportTarget isInWorkflows={path.startsWith('/workflows')} />
}

function ImportTarget({ isInWorkflows }: { readonly isInWorkflows: boolean }) {
  const { current, open } = useOverlays()
  const { connectionId } = useParams({ strict: false })
  const { data: connections } = useQuery(api.connections.list.queryOptions({ input: {} }))
  const name = connections?.find(one => one.connectionId === connectionId)?.name
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
      An import document, an OpenAPI document or a curl command, as one file of at most 10 MiB. A preview
      shows what will be created.
    </DropCover>
  )
}

/** Says what happens when the dragged file is dropped. */
export function DropCover({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={classes.cover}>
      <div className={classes.target} role="status">
        <FileDown size={20} />
        <p className="h2">{title}</p>
        <p className="sm t2">{children}</p>
      </div>
    </div>
  )
}

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true

/** The drop targets that take files. Only the newest does: a dialog above a screen, not the screen. */
const taking: symbol[] = []

/**
 * Takes files that are dropped anywhere in the window. Without it, a dropped file would replace the page.
 *
 * @param isTaking false ignores dropped files.
 * @returns whether files are being dragged over the window.
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void, isTaking = true): boolean {
  const [isOver, setIsOver] = useState(false)
  const [id] = useState(() => Symbol())
  useEffect(() => {
    if (!isTaking) return
    taking.push(id)
    return () => void taking.splice(taking.indexOf(id), 1)
  }, [id, isTaking])
  const isNewest = () => taking.at(-1) === id

  function onDragOver(event: DragEvent): void {
    if (!holdsFiles(event)) return
    event.preventDefault()
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = taking.length > 0 ? 'copy' : 'none'
    if (!isNewest()) return
    event.stopPropagation()
    setIsOver(true)
  }
  function onDragLeave(event: DragEvent): void {
    if (event.relatedTarget === null) setIsOver(false)
  }
  function onDrop(event: DragEvent): void {
    if (!holdsFiles(event)) return
    event.preventDefault()
    setIsOver(false)
    if (!isNewest()) return
    event.stopPropagation()
    onFiles([...(event.dataTransfer?.files ?? [])])
  }
  useWindowEvent('dragenter', onDragOver, capture)
  useWindowEvent('dragover', onDragOver, capture)
  useWindowEvent('dragleave', onDragLeave, capture)
  useWindowEvent('drop', onDrop, capture)
  return isOver && isTaking
}

const capture = { capture: true }
