import { useElementSize } from '@mantine/hooks'
import classes from './diff-view.module.css'
import { lazyComponent } from './lazy-component.tsx'

export type DiffViewProps = {
  readonly before: string
  readonly after: string
  /** What the two are: “Sent”, “Received”. */
  readonly beforeLabel: string
  readonly afterLabel: string
}

/** From this width on, in pixels, the two stand side by side. */
const sideBySideFrom = 720

const View = lazyComponent(() => import('./editor/diff-editor.tsx'))

/** What differs between two texts: side by side where there is room, else one below the other. Fills its container. */
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
          isSideBySide={width >= sideBySideFrom}
          fallback={<div className={classes.body} aria-busy="true" />}
        />
      )}
    </section>
  )
}
