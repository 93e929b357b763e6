import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { api } from '../../../client/client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { formatDuration } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import { PageCard } from '../page-card.tsx'
import classes from '../sender/sender.module.css'
import { neededVariables, signInDraftOf, signInKinds } from './sign-in-draft.ts'

/** Shows how the calls of a connection sign in, and leads to its page. */
export function SignInCard() {
  const { data: variables } = useQuery(api.environment.list.queryOptions())
  return (
    <PageCard
      id="sign-in-card"
      icon={KeyRound}
      title="How calls sign in"
      page="/connections/$connectionId/sign-in"
    >
      {variables === undefined ? <p className="sm t2">&nbsp;</p> : <SignInWords variables={variables} />}
    </PageCard>
  )
}

function SignInWords({ variables }: Pick<Parameters<typeof signInDraftOf>[0], 'variables'>) {
  const connection = useCurrentConnection()
  const now = useNow(10_000)
  const draft = signInDraftOf({ auth: connection.auth, variables })
  const names = neededVariables(draft)
  const unset = names.filter(name => !variables.some(one => one.name === name && one.sources.length > 0))
  const used = variables.find(
    ({ kind, name }) => kind === 'oauth2' && connection.auth?.value.includes(`{{${name}}}`),
  )
  const expiresAt = used?.state?.expiresAt ?? null
  const error = used?.state?.error ?? null
  return (
    <>
      <p className="sm t2">
        {signInKinds[draft.kind].title}
        {draft.kind === 'none' && ' · only the signature'}
        {draft.kind === 'oauth2' && (
          <>
            , client <code>{draft.clientId}</code>
          </>
        )}
        {draft.kind === 'key' && (
          <>
            {draft.keyIn === 'header' ? ' in the header ' : ' in the query as '}
            <code>{draft.keyName}</code>
          </>
        )}
        {names.map((name, index) => (
          <span key={name}>
            {index === 0 ? ' with ' : ', '}
            <code className={classes.placeholder}>{`{{${name}}}`}</code>
          </span>
        ))}
      </p>
      {unset.length > 0 ? (
        <p className="sm bad">{unset.join(', ')} is not set, so every call fails</p>
      ) : error !== null ? (
        <p className="sm bad">No token: {error}</p>
      ) : (
        expiresAt !== null &&
        Date.parse(expiresAt) > now && (
          <p className="sm ok">Token for {formatDuration(Date.parse(expiresAt) - now)}</p>
        )
      )}
    </>
  )
}
