import type { ReactNode } from 'react'
import type { SentRequest } from '#shared/model/call.ts'
import { JsonBlock } from './code-block.tsx'
import { formatJson } from './format-json.ts'
import classes from './http-message.module.css'

/** Headers in their order. */
export function HeaderTable(props: {
  readonly headers: readonly (readonly [string, string])[]
  readonly label: string
  /** Renders the end of a row. */
  readonly renderAction?: (name: string) => ReactNode
}) {
  const { renderAction } = props
  return (
    <table className={classes.headers} aria-label={props.label}>
      <tbody>
        {props.headers.map(([name, value], index) => (
          // Names may repeat.
          // biome-ignore lint/suspicious/noArrayIndexKey: headers are never reordered
          <tr key={index}>
            <th scope="row">{name.toLowerCase()}</th>
            <td>{value}</td>
            {renderAction && <td className={classes.end}>{renderAction(name.toLowerCase())}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A request as it was sent, with masked variables. */
export function RequestView({ request }: { readonly request: SentRequest }) {
  const { method, url, headers, body } = request
  return (
    <>
      <p className={`mono sm ${classes.line}`}>
        <b>{method}</b> {url}
      </p>
      <HeaderTable headers={Object.entries(headers)} label="Header fields of the request" />
      {body !== '' && <JsonBlock text={formatJson(body)} label="Body of the request" copyText={body} wrap />}
    </>
  )
}
