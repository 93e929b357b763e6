import { useElementSize } from '@mantine/hooks'
import classes from './diff-view.module.css'
import { lazyComponent } from './lazy-component.tsx'

export type DiffViewProps = {
  readonly before: string
  readonly after: string
  /** The names of the two texts: “Sent”, “Received”. */
  readonly beforeLabel: string
  readonly afterLabel: string
}

/** The smallest width for two columns, in pixels. */
const minSideBySideWidth = 720

const View = lazyComponent(() => import('./editor/diff-editor.tsx'))

/** Compares two texts, side by side if there is room. Fills its container. */
export function DiffView(props: DiffViewProps) {
  const { ref, width } = useElementSize()
  return (
    <section
      ref={ref}
      className={classes.diff}
      aria-label={`${props.beforeLabel} and ${props.afterLabel} compared`}
    >
      {width > 0 && (
        <View
          {...props}
          isSideBySide={width >= minSideBySideWidth}
          fallback={<div className={classes.body} aria-busy="true" />}
        />
      )}
    </section>
  )
}
