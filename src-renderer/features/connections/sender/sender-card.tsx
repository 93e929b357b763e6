import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { schemes } from '#shared/model/sender/templates.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import classes from './sender.module.css'

/** Shows the scheme of a connection's sender, and leads to its page. */
export function SenderCard() {
  const { connectionId, sender, hasSenderSecret, warnings = [] } = useCurrentConnection()
  const unfit = warnings.find(({ path }) => path === 'sender')?.message
  const { title, about, hasOwnSecret } = schemes[sender.scheme]
  const header = sender.scheme === 'template' ? sender.signatureHeader : about
  return (
    <section className={classes.card} aria-labelledby="sender-card">
      <span className={classes.tile}>
        <ShieldCheck />
      </span>
      <div className="grow">
        <h3 id="sender-card">How this sender signs</h3>
        {hasOwnSecret && !hasSenderSecret ? (
          <p className="sm bad">{title} · no secret is set, so every event is refused</p>
        ) : unfit !== undefined ? (
          <p className="sm bad">{unfit}</p>
        ) : (
          <p className="sm t2">
            {title} · {hasOwnSecret ? <code>{header}</code> : 'the whole secret is the key'}
          </p>
        )}
      </div>
      <Button
        renderRoot={props => (
          <Link to="/connections/$connectionId/sender" params={{ connectionId }} {...props} />
        )}
      >
        Change
      </Button>
    </section>
  )
}
