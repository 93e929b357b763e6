import { errorCatalogue } from '#shared/errors.ts'
import { Fact } from '../../ui/fact.tsx'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import type { RefusedCall } from './entry.ts'
import { sourceWords } from './rows.ts'

/** A tool call that was refused, and why. */
export function RefusedCallDetail({ refused }: { readonly refused: RefusedCall }) {
  const { toolName, code, source, client, at } = refused
  const messages: Readonly<Record<string, { readonly message: string }>> = errorCatalogue
  return (
    <section className={classes.detail} aria-label="Refused call">
      <DetailBar status={null} title={toolName} at={at} />
      <div className={classes.section}>
        <p>{messages[code]?.message ?? code} Nothing was sent.</p>
      </div>
      <dl className={classes.facts}>
        <Fact name="Source">{sourceWords[source]}</Fact>
        {client !== null && (
          <>
            <Fact name="Client">{client.name ?? 'without a name'}</Fact>
            <Fact name="Token">{client.tokenName ?? 'admin token'}</Fact>
          </>
        )}
      </dl>
    </section>
  )
}
