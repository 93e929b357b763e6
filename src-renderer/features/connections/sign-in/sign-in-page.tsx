import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { ConnectionWithWarnings } from '#shared/model/connection.ts'
import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { SetVariableDialog } from '../../../entities/environment/set-variable-dialog.tsx'
import { useDraft } from '../../../ui/draft/use-draft.tsx'
import { formatCount } from '../../../ui/format.ts'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import { Body, Foot, type Hints } from '../../../ui/page.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { toastProblem } from '../../../ui/toasts.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import classes from '../sender/sender.module.css'
import { KindList } from './kind-list.tsx'
import { rateLimitOfDraft } from './rate-limit-draft.ts'
import {
  authOfDraft,
  madeName,
  madeOf,
  type SignInDraft,
  type SignInRecord,
  signInDraftOf,
  signInFields,
  signInKinds,
  signInProblems,
} from './sign-in-draft.ts'
import { SignInForm, type VariableField } from './sign-in-form.tsx'
import { TrySignIn } from './try-sign-in.tsx'

/** Says how the calls of a connection sign in, and tries that before it is saved. */
export function SignInPage() {
  const query = useQuery(api.environment.list.queryOptions())
  if (query.data === undefined)
    return (
      <Body>
        <QueryState query={query} failed="The variables could not be read" />
      </Body>
    )
  return <SignIn variables={query.data} />
}

type Pane = 'kinds' | 'fields' | 'try'
/** The variable whose value is asked for, and the field that takes a new one. */
type Asked = { readonly name: string | null; readonly field: VariableField | null }
const group = 'How calls sign in'

function SignIn({ variables }: { readonly variables: readonly EnvironmentVariable[] }) {
  const connection = useCurrentConnection()
  const { connectionId, name, baseUrl, actionCount } = connection
  const record: SignInRecord = useMemo(() => ({ ...connection, variables }), [connection, variables])
  const isNarrow = useNarrow()
  const [pane, setPane] = useState<Pane>('fields')
  const [asked, setAsked] = useState<Asked | null>(null)
  const failedRef = useRef<HTMLLIElement>(null)
  const attempt = useMutation(api.environment.try.mutationOptions({ gcTime: 0 }))
  const { data: trial, reset } = attempt
  const isFailing = trial?.ok === false
  const { draft, change, problems, isDirty, saveBar } = useDraft({
    storedAs: `sign-in/${connectionId}`,
    fields: signInFields,
    saved: record,
    draftOf: signInDraftOf,
    read: (current): SignInRecord => ({ ...ConnectionWithWarnings.parse(current), variables }),
    validate: edited => signInProblems(edited, record),
    save: (sent, _changed, before) => saveSignIn(sent, before),
    name: `the sign-in of ${name}`,
    failed: 'The sign-in was not saved',
    summary: ({ kind }, changed) => {
      const saved = signInDraftOf(record).kind
      if (!changed.includes('kind')) return null
      if (kind === 'none') return 'does not sign in any more'
      const instead = saved === 'none' ? '' : `, not by ${signInKinds[saved].title}`
      return `signs in by ${signInKinds[kind].title}${instead}`
    },
    note: isFailing ? 'Tried a moment ago, without a token.' : 'Calls under way keep what they carry.',
    saveLabel: isFailing ? 'Save anyway' : 'Save sign-in',
    isRisky: isFailing,
    onDiscard: reset,
  })

  const edit = (fields: Partial<SignInDraft>) => {
    reset()
    change(fields)
  }
  function tryIt(how: Partial<SignInDraft> = {}): void {
    const tried = { ...draft, ...how }
    const { oauth2 } = madeOf(tried) ?? {}
    if (oauth2 === undefined) return
    if (isNarrow) setPane('try')
    attempt.mutate(
      { name: madeName('oauth2', record), oauth2 },
      {
        onError: error => toastProblem('The sign-in was not tried', error),
        onSettled: () => void queries.invalidateQueries({ queryKey: api.environment.key() }),
      },
    )
  }
  useShortcut({ keys: 'mod+enter', label: 'Try the sign-in', group }, () => tryIt())
  const fieldOf = { none: null, bearer: 'tokenVariable', basic: 'passwordVariable', key: null } as const
  const variableField = draft.kind === 'oauth2' ? ('secretVariable' as const) : fieldOf[draft.kind]
  useShortcut({ keys: 'mod+e', label: 'New variable', group }, () =>
    setAsked({ name: null, field: variableField }),
  )
  useShortcut({ keys: 'f8', label: 'First check that fails', group }, () => {
    failedRef.current?.focus()
    failedRef.current?.scrollIntoView({ block: 'nearest' })
  })

  const toOverview = (
    <Link
      to="/connections/$connectionId"
      params={{ connectionId }}
      className={classes.back}
      aria-label="Overview"
    >
      <ArrowLeft />
    </Link>
  )
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="sign-in"
          lead={pane}
          home="fields"
          back={{ label: 'Back to the fields', group, go: () => setPane('fields') }}
          panes={[
            {
              id: 'kinds',
              size: 224,
              min: 200,
              content: (
                <KindList
                  kind={draft.kind}
                  onChoose={kind => {
                    edit({ kind })
                    if (isNarrow) setPane('fields')
                  }}
                  back={!isNarrow && toOverview}
                />
              ),
            },
            {
              id: 'fields',
              content: (
                <SignInForm
                  draft={draft}
                  problems={problems}
                  onEdit={edit}
                  onNew={field => setAsked({ name: null, field })}
                  before={
                    isNarrow && (
                      <>
                        {toOverview}
                        <Button size="xs" onClick={() => setPane('kinds')}>
                          Kind
                        </Button>
                      </>
                    )
                  }
                  after={
                    isNarrow && (
                      <Button size="xs" onClick={() => setPane('try')}>
                        Try
                      </Button>
                    )
                  }
                />
              ),
            },
            {
              id: 'try',
              size: 424,
              min: 320,
              content: (
                <TrySignIn
                  draft={draft}
                  variables={variables}
                  baseUrl={baseUrl}
                  trial={trial}
                  isTrying={attempt.isPending}
                  onTry={() => tryIt()}
                  onOtherWay={() => {
                    const clientAuth = draft.clientAuth === 'basic' ? 'body' : 'basic'
                    edit({ clientAuth })
                    tryIt({ clientAuth })
                  }}
                  onSet={variable => setAsked({ name: variable, field: null })}
                  failedRef={failedRef}
                />
              ),
            },
          ]}
        />
      </Body>
      {saveBar}
      <Foot hints={hints}>
        {isDirty ? 'unsaved changes' : `${formatCount(actionCount, 'action')} in this connection`}
      </Foot>
      {asked !== null && (
        <SetVariableDialog
          name={asked.name}
          onClose={() => setAsked(null)}
          onSet={set => {
            if (asked.field !== null) edit({ [asked.field]: set })
            else reset()
          }}
        />
      )}
    </>
  )
}

const hints: Hints = {
  updown: 'kind',
  'mod+enter': 'try sign-in',
  'mod+e': 'new variable',
  f8: 'first check that fails',
  'mod+s': 'save',
}

/** Saves the variable that the sign-in makes, then the connection, which names it. */
async function saveSignIn(sent: SignInDraft, before: SignInRecord): Promise<SignInRecord> {
  const { connectionId, updatedAt } = before
  const auth = authOfDraft(sent, before)
  const made = madeOf(sent)
  try {
    if (made !== null && (sent.kind === 'basic' || sent.kind === 'oauth2'))
      await client.environment.set({ name: madeName(sent.kind, before), ...made })
    const saved = await client.connections.update({
      ...{ connectionId, ifUpdatedAt: updatedAt },
      ...{ auth, rateLimit: rateLimitOfDraft(sent) },
    })
    const variables = await client.environment.list()
    queries.setQueryData(api.connections.get.queryKey({ input: { connectionId } }), saved)
    queries.setQueryData(api.environment.list.queryKey(), variables)
    return { ...saved, variables }
  } finally {
    await Promise.all([
      queries.invalidateQueries({ queryKey: api.connections.key() }),
      queries.invalidateQueries({ queryKey: api.environment.key() }),
    ])
  }
}
