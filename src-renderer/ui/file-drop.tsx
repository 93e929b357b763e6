import { useWindowEvent } from '@mantine/hooks'
import { FileDown } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import classes from './file-drop.module.css'

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
