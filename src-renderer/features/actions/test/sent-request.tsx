import type { SentRequest } from '#shared/model/call.ts'
import { JsonBlock } from '../../../ui/code-block.tsx'
import { HeaderTable } from './header-table.tsx'
import classes from './test.module.css'

/** A request as it was sent, the values of variables masked. */
export function SentRequestView({ request }: { readonly request: SentRequest }) {
  const { method, url, headers, body } = request
  return (
    <>
      <p className={classes.requestLine}>
        <b>{method}</b> {url}
      </p>
      <HeaderTable headers={headers} />
      {body !== '' && <JsonBlock text={body} label="Body of the request" copyText={body} wrap />}
    </>
  )
}
