import { useElementSize } from '@mantine/hooks'
import classes from './diff-view.module.css'
import type { DiffViewProps } from './editor/diff-editor.tsx'
import { lazyComponent } from './lazy-component.tsx'

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
