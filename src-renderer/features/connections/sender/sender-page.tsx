import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ConnectionWithWarnings } from '#shared/model/connection.ts'
import { isOpen, templatesOf } from '#shared/model/sender/sender.ts'
import { type Scheme, schemeNames, schemes } from '#shared/model/sender/templates.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { useDraft } from '../../../ui/draft/use-draft.tsx'
import { oneOf } from '../../../ui/filters.ts'
import { formatCount } from '../../../ui/format.ts'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import { isTyping } from '../../../ui/match-keys.ts'
import { Body, Foot, type Hints } from '../../../ui/page.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { SchemeList } from './scheme-list.tsx'
import classes from './sender.module.css'
import {
  fieldsOf,
  givenSecret,
  type SenderDraft,
  senderDraftOf,
  senderFields,
  senderOf,
  senderProblems,
  triedSenderOf,
} from './sender-draft.ts'
import { SenderForm } from './sender-form.tsx'
import { TryRequest, textOf } from './try-request.tsx'
import { useTrial } from './use-trial.ts'

const starts = oneOf([...schemeNames, 'seconds'])

/** Says how the sender of a connection signs, and tries that with a captured request before it is saved. */
export function SenderPage() {
  const connection = useCurrentConnection()
  const { connectionId, name, sender } = connection
  const { attempt: arrived, start: begun } = useSearch({ from: '/connections/$connectionId/sender' })
  const start = starts.parse(begun)
  const isNarrow = useNarrow()
  const [attemptId, setAttemptId] = useState(arrived ?? null)
  const [text, setText] = useState('')
  const [pane, setPane] = useState<Pane>('fields')
  const [isFailing, setIsFailing] = useState(false)
  /** The kind of proof that the draft wants. */
  const [proof, setProof] = useState(templatesOf(sender)[0].verify)
  const [{ verify: savedProof }] = templatesOf(sender)
  const opens = isOpen(proof) && proof !== savedProof && savedProof !== 'none'
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  const failedRef = useRef<HTMLLIElement>(null)
  const { draft, change, prefill, problems, isDirty, saveBar } = useDraft({
    storedAs: `sender/${connectionId}`,
    unstored: text.trim() === '' ? [] : ['the pasted request'],
    fields: senderFields,
    saved: connection,
    draftOf: senderDraftOf,
    read: ConnectionWithWarnings.parse,
    validate: draft => senderProblems(draft, sender),
    isLive: true,
    save: (sent, changed, { updatedAt }) => saveSender(connectionId, sent, changed, updatedAt),
    name: `the sender of ${name}`,
    failed: 'The scheme was not saved',
    summary: ({ scheme }, changed) =>
      changed.includes('scheme')
        ? `signs as ${schemes[scheme].title}, not as ${schemes[sender.scheme].title}`
        : null,
    note: isFailing
      ? 'The request at the right would be refused.'
      : opens
        ? `Anyone with the URL${proof === 'token' ? ' and the token' : ''} can send from then on.`
        : 'The old scheme stops at once.',
    saveLabel: isFailing ? 'Save anyway' : opens ? 'Accept unsigned events' : 'Save scheme',
    isRisky: isFailing,
    isDanger: opens && !isFailing,
  })

  const { data: shown } = useQuery(
    api.attempts.get.queryOptions({ input: attemptId === null ? skipToken : { connectionId, attemptId } }),
  )
  const tried = triedSenderOf(draft)
  const request = attemptId === null ? { text } : { attemptId }
  const hasRequest = attemptId !== null || text.trim() !== ''
  const secret = draft.secret === '' ? {} : { secret: givenSecret(draft) }
  const { data: trial, error } = useTrial(
    tried === null || !hasRequest ? null : { connectionId, sender: tried, ...secret, ...request },
  )
  const fails = trial?.ok === false
  // While it renders, because the bar that saves comes from the draft that is tried.
  if (isFailing !== fails) setIsFailing(fails)
  if (proof !== draft.verify) setProof(draft.verify)

  const recognized = schemeNames.find(name => name === trial?.diagnosis?.recognized) ?? null

  function choose(scheme: Scheme): void {
    const [own] = sender.scheme === scheme ? templatesOf(sender) : schemes[scheme].templates
    const isSaved = sender.scheme === scheme
    change({ scheme, ...fieldsOf(own), accepts: isSaved && isOpen(own.verify), secret: '', user: '' })
    if (isNarrow) setPane('fields')
  }
  const withScheme = (fields: Partial<SenderDraft>) => {
    const { scheme, ...others } = fields
    if (scheme === undefined || scheme === 'template') return fields
    return { scheme, ...fieldsOf(schemes[scheme].templates[0]), ...others }
  }
  const edit = (fields: Partial<SenderDraft>) => change(withScheme(fields))

  const arrive = useEffectEvent(() => {
    if (start === 'seconds') void acceptSeconds(connectionId).then(prefill)
    else if (start !== undefined && start !== draft.scheme) prefill(withScheme({ scheme: start }))
  })
  useEffect(() => arrive(), [])

  const paste = (pasted: string) => {
    setAttemptId(null)
    setText(pasted)
    setPane('try')
    fieldRef.current?.focus()
  }
  usePaste(paste)
  const fix = { keys: 'f8', label: 'First step that fails', group: 'How this sender signs' }
  useShortcut(fix, () => {
    const button = failedRef.current?.querySelector('button')
    const target = button ?? failedRef.current
    target?.focus()
    target?.scrollIntoView({ block: 'nearest' })
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
  const count = 1 + (trial?.refused?.total ?? 0)
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="sender"
          lead={pane}
          home="fields"
          back={{ label: 'Back to the fields', group: 'How this sender signs', go: () => setPane('fields') }}
          panes={[
            {
              id: 'schemes',
              size: 240,
              min: 216,
              content: (
                <SchemeList
                  scheme={draft.scheme}
                  recognized={recognized}
                  onChoose={choose}
                  back={!isNarrow && toOverview}
                />
              ),
            },
            {
              id: 'fields',
              content: (
                <SenderForm
                  draft={draft}
                  isSaved={draft.scheme === sender.scheme}
                  items={trial?.items}
                  problems={problems}
                  onEdit={edit}
                  before={
                    isNarrow && (
                      <>
                        {toOverview}
                        <Button size="xs" onClick={() => setPane('schemes')}>
                          Scheme
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
                <TryRequest
                  draft={draft}
                  text={attemptId === null ? text : shown === undefined ? '' : textOf(shown)}
                  onText={typed => {
                    setAttemptId(null)
                    setText(typed)
                  }}
                  onAttempt={attempt => setAttemptId(attempt.attemptId)}
                  trial={trial}
                  error={error}
                  onEdit={edit}
                  fieldRef={fieldRef}
                  failedRef={failedRef}
                />
              ),
            },
          ]}
        />
      </Body>
      {saveBar}
      <Foot hints={hints}>
        {trial === undefined
          ? isDirty
            ? 'unsaved changes'
            : `${formatCount(schemeNames.length, 'sender')} · Other describes any scheme`
          : `Tried against ${formatCount(count, 'request')}`}
      </Foot>
    </>
  )
}

type Pane = 'schemes' | 'fields' | 'try'

const hints: Hints = {
  updown: 'scheme',
  '/': 'search',
  'mod+v': 'paste a request',
  f8: 'first step that fails',
  'mod+s': 'save',
}

/** Saves the scheme, then the secret, which depends on it. */
async function saveSender(
  connectionId: string,
  sent: SenderDraft,
  changed: readonly string[],
  ifUpdatedAt: string,
) {
  const key = api.connections.get.queryKey({ input: { connectionId } })
  try {
    const { graceHours } = sent
    const secret = sent.secret === '' ? '' : givenSecret(sent)
    const setsSecret = secret !== '' && schemes[sent.scheme].hasOwnSecret
    const change = { connectionId, ifUpdatedAt, sender: senderOf(sent) }
    const saved =
      changed.every(field => field === 'secret') && setsSecret
        ? null
        : await client.connections.update(change)
    if (saved !== null) queries.setQueryData(key, saved)
    if (saved !== null && !setsSecret) return saved
    const set = await client.connections.setSenderSecret({ connectionId, secret, graceHours })
    queries.setQueryData(key, set)
    return set
  } finally {
    await queries.invalidateQueries({ queryKey: api.connections.key() })
  }
}

/** Returns the fields that accept what the default scheme signs, with a timestamp in seconds. */
async function acceptSeconds(connectionId: string): Promise<Partial<SenderDraft>> {
  const fields = fieldsOf(schemes['custom-connection'].templates[0])
  const { signingSecret } = await client.connections.credentials({ connectionId })
  return { scheme: 'template', ...fields, timestampUnit: 's', secret: signingSecret }
}

/** Calls a function with a text that is pasted outside of any field. */
function usePaste(onPaste: (text: string) => void): void {
  const act = useEffectEvent(onPaste)
  useEffect(() => {
    function onEvent(event: ClipboardEvent) {
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (text === '' || isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return
      event.preventDefault()
      act(text)
    }
    document.addEventListener('paste', onEvent)
    return () => document.removeEventListener('paste', onEvent)
  }, [])
}
