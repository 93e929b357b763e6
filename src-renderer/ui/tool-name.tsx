import { Copy } from 'lucide-react'
import { copyWithToast } from './copy-with-toast.ts'
import { IconButton } from './icon-button.tsx'
import classes from './tool-name.module.css'

/** Copies the name of a tool, as an assistant calls it. */
export const copyToolName = (name: string) => void copyWithToast(name, 'Tool name', name)

/** The whole name under which an assistant calls a tool: “shop_V1St__look_up”. If there is little room, its start is cut. */
export function ToolName(props: {
  readonly name: string
  readonly className?: string | undefined
  readonly title?: string | undefined
  /** Adds a button that copies the name. */
  readonly hasCopy?: boolean
}) {
  const { name, className = '', title = name, hasCopy = false } = props
  // The first “__” ends the connection's part. At the address of one connection, names have none.
  const end = name.indexOf('__') + 2
  const own = end < 2 ? name : name.slice(end)
  return (
    <span className={`${classes.tool} ${className}`}>
      <code className={classes.name} title={title}>
        <bdi dir="ltr">
          {own !== name && <span className={classes.prefix}>{name.slice(0, end)}</span>}
          {own}
        </bdi>
      </code>
      {hasCopy && (
        <IconButton
          size="xs"
          icon={Copy}
          label={`Copy ${name}`}
          onClick={event => {
            // Does not also open the row that it is in.
            event.stopPropagation()
            copyToolName(name)
          }}
        />
      )}
    </span>
  )
}
