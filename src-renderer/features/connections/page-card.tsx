import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import classes from './sender/sender.module.css'

/** Shows a setting of the connection that has a page of its own, and leads to it. */
export function PageCard(props: {
  readonly id: string
  readonly icon: LucideIcon
  readonly title: string
  readonly page: '/connections/$connectionId/sender' | '/connections/$connectionId/sign-in'
  readonly children: ReactNode
}) {
  const { id, icon: Icon, title, page, children } = props
  const { connectionId } = useCurrentConnection()
  return (
    <section className={classes.card} aria-labelledby={id}>
      <span className={classes.tile}>
        <Icon />
      </span>
      <div className="grow">
        <h3 id={id}>{title}</h3>
        {children}
      </div>
      <Button
        aria-label={`Change: ${title}`}
        renderRoot={others => <Link to={page} params={{ connectionId }} {...others} />}
      >
        Change
      </Button>
    </section>
  )
}
