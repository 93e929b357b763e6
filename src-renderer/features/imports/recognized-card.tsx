import { CircleCheck } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import type { Recognized, SignIn } from '#shared/model/import-preview.ts'
import { Fact } from '../../ui/fact.tsx'
import { formatBytes, formatDuration, formatNumber } from '../../ui/format.ts'
import { formatLabel } from './import-labels.ts'
import classes from './source-step.module.css'

/** Says what a text is. @param props.children remarks below the facts. */
export function RecognizedCard(props: {
  readonly recognized: Recognized
  readonly bytes: number
  /** Milliseconds that fetching it took; null for a text that was not fetched. */
  readonly tookMs: number | null
  readonly children?: ReactNode
}) {
  const { recognized, bytes, tookMs } = props
  const { title, documentVersion, baseUrl, operations, webhooks, signIn, format } = recognized
  const size = [formatBytes(bytes), tookMs !== null && formatDuration(tookMs)].filter(Boolean).join(' · ')
  return (
    <section className={classes.card} aria-label="Recognized">
      <div className={classes.cardHead}>
        <CircleCheck size={16} className="ok" />
        <span className="col grow">
          <span className="w6">{formatLabel(recognized)}</span>
          {title !== null && (
            <span className="sm t2 cut" title={title}>
              {title}
              {documentVersion !== null && `, version ${documentVersion}`}
            </span>
          )}
        </span>
        <span className="sm t3 num nowrap">{size}</span>
      </div>
      <dl className={classes.facts}>
        {baseUrl !== null && (
          <Fact name="Base URL">
            <code>{baseUrl}</code>
          </Fact>
        )}
        <Fact name="Operations">
          <span className="num">{formatNumber(operations)}</span>
        </Fact>
        {webhooks > 0 && (
          <Fact name={format === 'document' ? 'Events' : 'Webhooks'}>
            <span className="num">{formatNumber(webhooks)}</span>
          </Fact>
        )}
        {signIn.length > 0 && (
          <Fact name="Sign-in">
            {signIn.map((one, index) => (
              <Fragment key={one.name}>
                {index > 0 && ', '}
                <SignInWords signIn={one} />
              </Fragment>
            ))}
          </Fact>
        )}
      </dl>
      {props.children}
    </section>
  )
}

const signInNames: Readonly<Record<Exclude<SignIn['type'], 'other'>, string>> = {
  apiKey: 'API key',
  bearer: 'Bearer token',
  basic: 'User and password',
  oauth2: 'OAuth 2 token',
  openIdConnect: 'OpenID Connect token',
}

function SignInWords({ signIn: { type, name, header } }: { readonly signIn: SignIn }) {
  if (type === 'other') return <span className="t2">{name}, which is not supported</span>
  if (header === null) return <span>{signInNames[type]}, not in a header</span>
  return type === 'apiKey' ? (
    <span>
      API key in <code>{header}</code>
    </span>
  ) : (
    <span>{signInNames[type]}</span>
  )
}
