import { ChevronRight } from 'lucide-react'
import { createContext, Fragment, type ReactNode, use, useEffect, useSyncExternalStore } from 'react'
import { Keys } from './keys.tsx'
import { isLetter, isTyping } from './match-keys.ts'
import classes from './page.module.css'
import { WriteSwitch } from './write-button.tsx'

/** The first of the actions in the bar above every screen; null for none. */
export const TopStart = createContext<ReactNode>(null)

/** The bar above a screen: its breadcrumb and actions. A ruled one has a line below. */
export function Top(props: {
  /** Links to the screens above, outermost first. */
  readonly crumbs?: readonly ReactNode[]
  readonly title: ReactNode
  readonly beside?: ReactNode
  readonly actions?: ReactNode
  readonly ruled?: boolean
}) {
  const { crumbs = [], title, beside, actions, ruled = true } = props
  return (
    <header className={classes.top} data-ruled={ruled || undefined}>
      <nav className={classes.crumbs} aria-label="Breadcrumb">
        {crumbs.map((crumb, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: crumbs are never reordered
          <Fragment key={index}>
            {crumb}
            <ChevronRight size={12} />
          </Fragment>
        ))}
        <h1 className="h3 cut">{title}</h1>
        {beside}
      </nav>
      <div className={classes.actions}>
        {use(TopStart)}
        {actions}
      </div>
    </header>
  )
}

/** Shortcuts, and what each does: `{ n: 'new connection' }`. */
export type Hints = Readonly<Record<string, string>>

/** A shortcut and what it does. */
export function KeyHint({ keys, does }: { readonly keys: string; readonly does: string }) {
  return (
    <span className={classes.hint}>
      <Keys keys={keys} />
      {does}
    </span>
  )
}

/** The line below a screen: its most useful shortcuts and figures. Letters are left out while they would be typed. */
export function Foot(props: { readonly hints: Hints; readonly children?: ReactNode }) {
  const isInField = useIsInField()
  return (
    <footer className={classes.foot}>
      {Object.entries(props.hints)
        .filter(([keys]) => !isInField || !isLetter(keys))
        .map(([keys, does]) => (
          <KeyHint key={keys} keys={keys} does={does} />
        ))}
      <span className="push cut">{props.children}</span>
    </footer>
  )
}

function useIsInField(): boolean {
  return useSyncExternalStore(followFocus, () => isTyping(document.activeElement))
}

function followFocus(onChange: () => void): () => void {
  document.addEventListener('focusin', onChange)
  document.addEventListener('focusout', onChange)
  return () => {
    document.removeEventListener('focusin', onChange)
    document.removeEventListener('focusout', onChange)
  }
}

/** The content between `Top` and `Foot`. Scrolls unless its content does. */
export function Body(props: { readonly scrolls?: boolean; readonly children: ReactNode }) {
  const { scrolls = true, children } = props
  return (
    <div className={classes.body} data-scrolls={scrolls || undefined}>
      {children}
    </div>
  )
}

/** The switch in the bar above a screen; its label is hidden in a narrow window. */
export function TopSwitch(props: {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  const { label, isOn, onChange } = props
  return (
    <WriteSwitch
      className={classes.switch}
      label={<span className={classes.switchLabel}>{label}</span>}
      aria-label={label}
      labelPosition="left"
      checked={isOn}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}

/** Sets the window's title while the calling screen is mounted. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Custom Connection`
    return () => {
      document.title = 'Custom Connection'
    }
  }, [title])
}
