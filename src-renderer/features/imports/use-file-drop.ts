import { useEffect, useEffectEvent, useState } from 'react'

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
