import type { ReactNode } from 'react'
import { JsonBlock } from '../../../ui/code-block.tsx'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { formatJson } from '../../../ui/format-json.ts'
import { Note } from '../../../ui/note.tsx'
import classes from './preview.module.css'
import type { RequestPreview } from './request-preview.ts'

/** A request before it is sent: path, query, headers and body, and what keeps it from being sent. */
export function PreviewView(props: {
  readonly preview: RequestPreview
  /** The names of arguments that do not fit. */
  readonly wrong: readonly string[]
  readonly onGoTo: (name: string) => void
}) {
  const { preview, wrong, onGoTo } = props
  const { method, url, query, headers, body, leftOut } = preview
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className={classes.preview} aria-label="Before sending" tabIndex={0}>
      {wrong.length > 0 && (
        <div className={classes.note}>
          <Note tone="bad">
            <b>
              {formatCount(wrong.length, 'argument')} {wrong.length === 1 ? 'does' : 'do'} not fit.
            </b>{' '}
            Nothing is sent until {wrong.length === 1 ? 'it does' : 'they do'}.{' '}
            {wrong.map(name => (
              <button
                key={name}
                type="button"
                className={`link ${classes.wrong}`}
                onClick={() => onGoTo(name)}
              >
                {name}
              </button>
            ))}
          </Note>
        </div>
      )}
      <Part title="Path">
        <p className={`${classes.path} mono`}>
          {method} {url ?? 'The connection has no base URL.'}
        </p>
      </Part>
      {query.length > 0 && (
        <Part title="Query" hint="percent-encoded, as it is sent">
          <Pairs pairs={query} />
        </Part>
      )}
      <Part title="Headers" hint="values of variables stay hidden">
        <Pairs pairs={headers.map(one => ({ ...one, name: one.name.toLowerCase() }))} />
      </Part>
      <Part title="Body" hint={sizeOf(body)}>
        {body.kind === 'none' && <p className="sm t3">None.</p>}
        {body.kind === 'bytes' && <p className="sm t3">The bytes of the file.</p>}
        {body.kind === 'parts' && <Pairs pairs={body.parts} />}
        {body.kind === 'text' && (
          <JsonBlock text={formatJson(body.text)} label="Body to send" copyText={body.text} wrap />
        )}
      </Part>
      {leftOut.length > 0 && (
        <p className={classes.leftOut}>Left out, because they are empty: {leftOut.join(', ')}.</p>
      )}
    </section>
  )
}

function sizeOf(body: RequestPreview['body']): string | undefined {
  return body.kind === 'text' || body.kind === 'bytes' ? formatBytes(body.bytes) : undefined
}

function Part(props: {
  readonly title: string
  readonly hint?: string | undefined
  readonly children: ReactNode
}) {
  return (
    <div className={classes.part}>
      <div className="row xs t3">
        <h3 className="xs t3">{props.title}</h3>
        <span className="push">{props.hint}</span>
      </div>
      {props.children}
    </div>
  )
}

/** Names and values in their order. Names may repeat. */
function Pairs({ pairs }: { readonly pairs: RequestPreview['headers'] }) {
  return (
    <dl className={classes.pairs}>
      {pairs.map(({ name, value, isLater = false }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pairs are never reordered
        <div key={index}>
          <dt>{name}</dt>
          <dd className={isLater ? 't3' : undefined}>
            <Variables text={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A text whose `{{variables}}` are marked. */
export function Variables({ text }: { readonly text: string }) {
  return text.split(/(\{\{\w+\}\})/).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces are in the order of the text
      <mark key={index} className={classes.variable}>
        {piece}
      </mark>
    ),
  )
}
