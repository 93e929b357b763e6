import { ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode, useEffect } from 'react'
import { Keys } from './keys.tsx'
import classes from './page.module.css'

/** The bar above a screen: where it is, then what can be done. A ruled one has a hairline beneath it. */
export function Top(props: {
  /** Links to what stands above, outermost first. */
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
        <h1 className="cut">{title}</h1>
        {beside}
      </nav>
      <div className={classes.actions}>{actions}</div>
    </header>
  )
}

export type Hint = { readonly keys: string; readonly does: string }

/** A shortcut and what it does. */
export function KeyHint({ keys, does }: Hint) {
  return (
    <span className={classes.hint}>
      <Keys keys={keys} />
      {does}
    </span>
  )
}

/** The line below a screen: four or five shortcuts that work here, and a figure or two. */
export function Foot({
  hints,
  children,
}: {
  readonly hints: readonly Hint[]
  readonly children?: ReactNode
}) {
  return (
    <footer className={classes.foot}>
      {hints.map(hint => (
        <KeyHint key={hint.keys + hint.does} {...hint} />
      ))}
      <span className="push cut">{children}</span>
    </footer>
  )
}

/** What lies between `Top` and `Foot`; scrolls by itself unless its content does. */
export function Body({
  scrolls = true,
  children,
}: {
  readonly scrolls?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={classes.body} data-scrolls={scrolls || undefined}>
      {children}
    </div>
  )
}

/** The window's title while the calling screen is there: what is open, then the product. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Custom Connection`
    return () => {
      document.title = 'Custom Connection'
    }
  }, [title])
}
