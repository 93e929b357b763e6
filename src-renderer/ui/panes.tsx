import { Splitter } from '@mantine/core'
import type { ReactNode } from 'react'
import { z } from 'zod'
import classes from './panes.module.css'
import { useLocalStorage } from './use-local-storage.ts'
import { useNarrow } from './use-narrow.ts'

type Pane = {
  readonly id: string
  /** In pixels; the pane without a size takes the rest. */
  readonly size?: number
  readonly min?: number
  readonly content: ReactNode
}

const Sizes = z.array(z.union([z.number(), z.templateLiteral([z.number(), 'px'])]))

const noSizes: z.infer<typeof Sizes> = []

/**
 * Panes side by side with adjustable widths, which the browser remembers; one at a time in a narrow window.
 *
 * @param props.name identifies the remembered widths.
 * @param props.lead id of the pane that a narrow window shows.
 */
export function Panes(props: {
  readonly name: string
  readonly panes: readonly Pane[]
  readonly lead: string
}) {
  const { name, panes, lead } = props
  const isNarrow = useNarrow()
  const [sizes, keepSizes] = useLocalStorage(`panes:${name}:${panes.length}`, Sizes, noSizes)
  if (isNarrow) {
    const shown = panes.find(({ id }) => id === lead) ?? panes[0]
    return <div className={classes.narrow}>{shown?.content}</div>
  }
  return (
    <Splitter
      // It keeps the widths of the panes that it began with.
      key={panes.length}
      className={classes.panes}
      classNames={{ pane: classes.pane ?? '', handle: classes.handle ?? '' }}
      lineSize={1}
      withHandle={false}
      onResizeEnd={(_handle, next) => keepSizes(Sizes.catch([]).parse(next))}
    >
      {panes.map(({ id, size, min = 200, content }, index) =>
        size === undefined ? (
          <Splitter.Pane key={id} defaultSize={100}>
            {content}
          </Splitter.Pane>
        ) : (
          <Splitter.Pane key={id} defaultSize={sizes[index] ?? `${size}px`} min={`${min}px`}>
            {content}
          </Splitter.Pane>
        ),
      )}
    </Splitter>
  )
}
