import { createSafeContext } from '@mantine/core'
import { GripVertical } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { moveStep, type Slot } from './steps.ts'

type Drag = { readonly dragged: Path | null; readonly setDragged: (path: Path | null) => void }
const [DragContext, useDrag] = createSafeContext<Drag>('There is no flow.')

/** Lets the steps inside be dragged to another place. */
export function DragArea({ children }: { readonly children: ReactNode }) {
  const [dragged, setDragged] = useState<Path | null>(null)
  return <DragContext value={{ dragged, setDragged }}>{children}</DragContext>
}

/** The handle by which a step is dragged. The keyboard moves a step with Alt and the arrows. */
export function Grip({ path }: { readonly path: Path }) {
  const { numbers } = useBuilder()
  const { setDragged } = useDrag()
  return (
    <button
      type="button"
      className={classes.grip}
      tabIndex={-1}
      draggable
      aria-label={`Drag step ${numbers.get(pathKey(path))}, or press Alt with the arrows`}
      onDragStart={event => {
        event.dataTransfer.effectAllowed = 'move'
        // Firefox drags only what has data.
        event.dataTransfer.setData('text/plain', '')
        // Later, because Chromium ends the drag if the dragged element moves at once.
        setTimeout(() => setDragged(path))
      }}
      onDragEnd={() => setDragged(null)}
    >
      <GripVertical size={14} aria-hidden="true" />
    </button>
  )
}

/** The space before a step, or after the last one. A dragged step can be dropped there. */
export function DropTarget(props: {
  readonly slot: Slot
  readonly isLast?: boolean
  readonly children: ReactNode
}) {
  const { slot, isLast = false, children } = props
  const { draft, moveTo } = useBuilder()
  const { dragged, setDragged } = useDrag()
  const [isOver, setIsOver] = useState(false)
  const takes = dragged !== null && moveStep(draft.steps, dragged, slot) !== null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard moves steps with Alt and the arrows
    <div
      className={classes.gap}
      data-slot={pathKey([...slot.list, slot.index])}
      data-last={isLast || undefined}
      data-takes={takes || undefined}
      data-over={(takes && isOver) || undefined}
      onDragOver={event => {
        if (!takes) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={event => {
        event.preventDefault()
        setIsOver(false)
        if (dragged !== null && takes) moveTo(dragged, slot)
        setDragged(null)
      }}
    >
      {children}
    </div>
  )
}
