import { assistantText } from '#main/outbound/assistant-text.ts'
import type { Calls } from '#main/outbound/calls.ts'
import { jsonHeaders, type OutboundRequest, signingKeyOf } from '#main/outbound/outbound-request.ts'
import { pathBelow } from '#main/outbound/sign-in.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { agentKey } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { connectionDefaults } from '#shared/model/connection.ts'
import type { FormPart, FormValues } from '#shared/model/conversation.ts'
import type { ConversationAction } from '#shared/model/platform/conversation-action.ts'
import { keywordOf, matchActions } from '#shared/platform/keywords.ts'
import type { Leases } from './leases.ts'
import type { Session } from './session.ts'
import { numberOfConversation } from './stored-transcript.ts'
import { answerError, changeForm, findForm, type Transcript, unexpectedError } from './transcript.ts'

/** Maximum number of forms that one message offers. */
const maxForms = 5

type Mask = (text: string) => string
type Facts = Pick<FormPart, 'keyword' | 'action' | 'fields' | 'submitUrl'>

/** Returns the forms that a message offers: those whose keywords it contains. @param newFormId returns another id each time. */
export function formsFor(
  text: string,
  agentId: string,
  actions: readonly ConversationAction[],
  mask: Mask,
  newFormId: () => string,
): FormPart[] {
  return matchActions(text, actions)
    .slice(0, maxForms)
    .map(action => ({
      ...{ type: 'form', formId: newFormId(), agentId, ...factsOf(action, mask), state: 'offered' },
      ...{ values: null, decidedAt: null, callId: null, status: null, totalMs: null },
      ...{ resultText: null, error: null },
    }))
}

function factsOf({ trigger, action, form }: ConversationAction, mask: Mask): Facts {
  const [keyword, name, submitUrl] = [keywordOf(trigger), action, form.submitUrl].map(mask)
  return { keyword: keyword ?? '', action: name ?? '', fields: form.fields, submitUrl: submitUrl ?? '' }
}

type FormParts = {
  readonly config: () => Config
  readonly leases: Pick<Leases, 'hold'>
  readonly calls: Calls
  readonly mask: Mask
  /** ISO 8601. */
  readonly now: () => string
  readonly onError: (error: unknown) => void
}

/** Submits and dismisses the forms of conversations. */
export function createForms({ config, leases, calls, mask, now, onError }: FormParts) {
  const stopping = new AbortController()
  const sending = new Set<Promise<void>>()

  /** @throws ServiceError `form_not_open`. */
  function openForm(transcript: Transcript, formId: string): FormPart {
    const form = findForm(transcript, formId)
    if (form === null || !['offered', 'failed'].includes(form.state)) throw new ServiceError('form_not_open')
    return form
  }

  async function send(session: Session, form: FormPart, request: OutboundRequest): Promise<void> {
    const change = (more: Partial<FormPart>) =>
      session.change(transcript => changeForm(transcript, form.formId, more))
    try {
      const outcome = await calls.run(request, stopping.signal)
      const { ok, response, error, callId, timings } = outcome
      const failure = stopping.signal.aborted ? answerError('form_interrupted') : error
      change({
        state: ok ? 'answered' : 'failed',
        callId,
        status: response?.status ?? null,
        totalMs: timings.totalMs,
        resultText: mask(assistantText(outcome, config().settings.assistantTextBytes)),
        error: ok ? null : failure && { code: failure.code, message: failure.message },
      })
    } catch (error) {
      onError(error)
      change({ state: 'failed', error: unexpectedError(error) })
    }
  }

  return {
    /**
     * Posts a form, and resolves once its outcome is stored. The form is stored as being sent before it is sent.
     *
     * @throws ServiceError `form_not_open`, `form_changed`, `invalid_input`, `storage_unavailable`.
     */
    async submit(session: Session, formId: string, given: FormValues): Promise<void> {
      const form = openForm(session.now(), formId)
      const { workspaceId, conversationId } = session.now()
      const { agentId, fields } = form
      const action = actionOf(config(), { workspaceId, agentId }, form, mask)
      if (action === null) throw new ServiceError('form_changed')
      requireFields(fields, given)
      const values = Object.fromEntries(
        fields.map(name => [name, (Object.hasOwn(given, name) && given[name]) || '']),
      )
      const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]))
      const decidedAt = now()
      const release = await leases.hold(numberOfConversation(conversationId) ?? 0)
      try {
        await session.save(transcript => {
          openForm(transcript, formId)
          return changeForm(transcript, formId, {
            ...{ state: 'sending', values: shown, decidedAt },
            ...{ callId: null, status: null, totalMs: null, resultText: null, error: null },
          })
        })
        const owner = ownerOf(config(), workspaceId, new URL(action.form.submitUrl))
        const done = send(session, form, formRequest(owner, action, values, conversationId))
        sending.add(done)
        await done
        sending.delete(done)
        await session.saved()
      } finally {
        release()
      }
    },

    /** @throws ServiceError `form_not_open`, `storage_unavailable`. */
    async dismiss(session: Session, formId: string): Promise<void> {
      const decidedAt = now()
      await session.save(transcript => {
        openForm(transcript, formId)
        return changeForm(transcript, formId, { state: 'dismissed', decidedAt })
      })
    },

    /** Ends the forms that are being sent as interrupted. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(sending)
    },
  }
}

/** Returns the action of a form as it is now; null if it is no longer the one that was shown. */
function actionOf(
  { agents }: Config,
  scope: { readonly workspaceId: string; readonly agentId: string },
  { keyword, action, fields, submitUrl }: Facts,
  mask: Mask,
): ConversationAction | null {
  const shown = JSON.stringify({ keyword, action, fields, submitUrl } satisfies Facts)
  const actions = agents.get(agentKey(scope))?.shapes['conversation-actions'] ?? []
  return actions.find(one => JSON.stringify(factsOf(one, mask)) === shown) ?? null
}

/** @throws ServiceError `invalid_input` for a field that the form does not have. */
function requireFields(fields: readonly string[], given: FormValues): void {
  const issues = Object.keys(given)
    .filter(name => !fields.includes(name))
    .map(name => ({ path: `fields.${name}`, message: `The form has no field ${name}.` }))
  if (issues.length > 0) throw new ServiceError('invalid_input', { data: { issues } })
}

/** Returns the request that posts a form, signed if it belongs to a connection. */
function formRequest(
  owner: ConnectionRecord | null,
  { action, form }: ConversationAction,
  fields: FormValues,
  conversationId: string,
): OutboundRequest {
  const { origin, pathname, search } = new URL(form.submitUrl)
  const given = { action, fields }
  return {
    source: 'conversation',
    conversationId,
    connectionId: owner?.connectionId ?? null,
    actionId: null,
    toolName: action,
    arguments: given,
    method: 'POST',
    origin,
    target: pathname + search,
    headers: jsonHeaders,
    body: JSON.stringify(given),
    encoding: 'utf8',
    key: owner && signingKeyOf(owner),
    timeoutMs: (owner ?? connectionDefaults).timeoutMs,
    responseMapping: null,
  }
}

/** Returns the enabled connection with the longest base URL above a URL; null for none. */
function ownerOf({ connections }: Config, workspaceId: string, url: URL): ConnectionRecord | null {
  let nearest = null
  let length = 0
  for (const connection of connections.values()) {
    const { enabled, baseUrl } = connection
    if (connection.workspaceId !== workspaceId || !enabled || baseUrl === null) continue
    const path = pathBelow(baseUrl, url)
    if (path === null || path.length <= length) continue
    nearest = connection
    length = path.length
  }
  return nearest
}
