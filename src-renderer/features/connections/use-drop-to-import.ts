import { useEffect, useEffectEvent, useState } from 'react'
import { useOverlays } from '../../shell/overlays.tsx'
import { toastProblem } from '../../ui/toasts.tsx'

/**
 * Lets a file be dropped anywhere in the window while the calling screen is there; it is shown in the import
 * dialog.
 *
 * @returns whether a file is being held over the window.
 */
export function useDropToImport(): boolean {
  const { open } = useOverlays()
  const [isOver, setIsOver] = useState(false)
  const take = useEffectEvent((file: File) => {
    file.text().then(
      text => open({ kind: 'import', request: { text, fileName: file.name } }),
      error => toastProblem(`${file.name} could not be read`, error),
    )
  })
  useEffect(() => {
    // A dialog takes what is dropped on it by itself.
    const isOurs = (event: DragEvent) =>
      event.dataTransfer?.types.includes('Files') === true &&
      document.querySelector('[role="dialog"][aria-modal="true"]') === null
    function onDragOver(event: DragEvent) {
      if (event.defaultPrevented || !isOurs(event)) return
      event.preventDefault()
      setIsOver(true)
    }
    function onDragLeave(event: DragEvent) {
      if (event.relatedTarget === null) setIsOver(false)
    }
    function onDrop(event: DragEvent) {
      setIsOver(false)
      if (event.defaultPrevented || !isOurs(event)) return
      event.preventDefault()
      const file = event.dataTransfer?.files[0]
      if (file !== undefined) take(file)
    }
    window.addEventListener('dragover', onDragOver)
    window.addEventListener('dragleave', onDragLeave)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('dragover', onDragOver)
      window.removeEventListener('dragleave', onDragLeave)
      window.removeEventListener('drop', onDrop)
    }
  }, [])
  return isOver
}
