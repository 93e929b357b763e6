import { Splitter } from '@mantine/core'
import { ArrowLeft, ChevronLeft } from 'lucide-react'
import { createContext, type ReactNode, use } from 'react'
import { z } from 'zod'
import { IconButton } from './icon-button.tsx'
import classes from './master-detail.module.css'
import { useShortcut } from './shortcuts.tsx'
import { useLocalStorage } from './use-local-storage.ts'
import { useNarrow, usePhone } from './use-narrow.ts'

type Pane = {
  readonly id: string
  /** In pixels; the pane without a size takes the rest. */
  readonly size?: number
  readonly min?: number
  readonly content: ReactNode
}

/** The way back from a pane that a narrow window shows alone. */
type Back = {
  /** “Back to the list”. */
  readonly label: string
  /** The heading of Escape in the list of shortcuts: “Runs”. */
  readonly group: string
  readonly go: () => void
}
const BackContext = createContext<Back | null>(null)

const Sizes = z.array(z.union([z.number(), z.templateLiteral([z.number(), 'px'])]))

const noSizes: z.infer<typeof Sizes> = []

/**
 * Panes side by side with adjustable widths, which the browser remembers; one at a time in a narrow window, where Escape
 * and the pane's `BackButton` go back.
 *
 * @param props.name identifies the remembered widths.
 * @param props.lead id of the pane that a narrow window shows.
 * @param props.home id of the pane that it shows at first; the first one if omitted.
 * @param props.back leads there from the others.
 */
export function MasterDetail(props: {
  readonly name: string
  readonly panes: readonly Pane[]
  readonly lead: string
  readonly home?: string | undefined
  readonly back?: Back | null
}) {
  const { name, panes, lead, home = panes[0]?.id, back = null } = props
  const isNarrow = useNarrow()
  const [sizes, keepSizes] = useLocalStorage(`panes:${name}:${panes.length}`, Sizes, noSizes)
  const isAway = isNarrow && lead !== home
  const { label = '', group = '', go = () => {} } = back ?? {}
  useShortcut({ keys: 'escape', label, group }, go, isAway && back !== null)
  if (isNarrow) {
    const shown = panes.find(({ id }) => id === lead) ?? panes[0]
    return (
      <BackContext value={isAway ? back : null}>
        <div className={classes.narrow} data-away={isAway || undefined}>
          {shown?.content}
        </div>
      </BackContext>
    )
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
          <Splitter.Pane key={id} data-lead={id === lead && lead !== home ? '' : undefined} defaultSize={100}>
            {content}
          </Splitter.Pane>
        ) : (
          <Splitter.Pane
            key={id}
            data-lead={id === lead && lead !== home ? '' : undefined}
            defaultSize={sizes[index] ?? `${size}px`}
            min={`${min}px`}
          >
            {content}
          </Splitter.Pane>
        ),
      )}
    </Splitter>
  )
}

/** Leads back from the pane in whose bar it is. Not shown while all panes are. */
export function BackButton() {
  const back = use(BackContext)
  const isPhone = usePhone()
  return back && <IconButton icon={isPhone ? ChevronLeft : ArrowLeft} label={back.label} onClick={back.go} />
}
