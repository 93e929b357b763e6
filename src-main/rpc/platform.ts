import { z } from 'zod'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { unknownFields } from '#main/lib/unknown-fields.ts'
import { exportAgent, readAgent } from '#main/platform/agent-document.ts'
import {
  importAgent,
  listAgents,
  removeAgent,
  removeShape,
  setShape,
  shapesOf,
} from '#main/platform/agents.ts'
import { agentKey } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { type ShapeName, type Shapes, shapeNames, shapes } from '#shared/model/platform/agent.ts'
import { defaultAgentId } from '#shared/model/platform/parts.ts'
import { tryPatterns } from '#shared/platform/crawler-patterns.ts'
import { matchKeywords } from '#shared/platform/keywords.ts'
import { slotsOf } from '#shared/platform/slots.ts'
import { fillVariables } from '#shared/platform/text-variables.ts'
import { platformEventTypes } from '#shared/platform/webhook-events.ts'
import { type Base, issuesOf } from './base.ts'
import { type CallContext, nowOf, type RpcParts } from './context.ts'
import { verbatimFields } from './verbatim.ts'

type Given = { readonly workspaceId?: string | undefined; readonly agentId: string }
const scopeOf = ({ workspaceId = defaultWorkspaceId, agentId }: Given) => ({ workspaceId, agentId })

export function platform(os: Base, parts: RpcParts) {
  const { store, clock } = parts

  const read =
    <N extends ShapeName>(name: N) =>
    ({ input }: { input: Given }): Shapes[N] =>
      shapesOf(store.snapshot(), scopeOf(input))[name]
  const save =
    <N extends ShapeName>(name: N) =>
    ({ input: { query, body } }: { input: { query: Given; body: Shapes[N] } }): Promise<Shapes[N]> =>
      store.update(config => setShape(config, scopeOf(query), name, body, nowOf(parts)))
  const remove =
    (name: ShapeName) =>
    async ({ input: { query } }: { input: { query: Given } }) => ({
      deleted: await store.update(config => removeShape(config, scopeOf(query), name, nowOf(parts))),
    })

  const {
    widget,
    voice,
    crawler,
    calendar,
    language,
    'conversation-actions': actions,
    'text-responses': responses,
    'sms-keywords': keywords,
  } = os.platform
  return os.platform.router({
    widget: {
      get: widget.get.handler(read('widget')),
      set: widget.set.handler(save('widget')),
      remove: widget.remove.handler(remove('widget')),
    },
    voice: {
      get: voice.get.handler(read('voice')),
      set: voice.set.handler(save('voice')),
      remove: voice.remove.handler(remove('voice')),
    },
    crawler: {
      get: crawler.get.handler(read('crawler')),
      set: crawler.set.handler(save('crawler')),
      remove: crawler.remove.handler(remove('crawler')),
    },
    calendar: {
      get: calendar.get.handler(read('calendar')),
      set: calendar.set.handler(save('calendar')),
      remove: calendar.remove.handler(remove('calendar')),
    },
    language: {
      get: language.get.handler(read('language')),
      set: language.set.handler(save('language')),
      remove: language.remove.handler(remove('language')),
    },
    'conversation-actions': {
      get: actions.get.handler(read('conversation-actions')),
      set: actions.set.handler(save('conversation-actions')),
      remove: actions.remove.handler(remove('conversation-actions')),
    },
    'text-responses': {
      get: responses.get.handler(read('text-responses')),
      set: responses.set.handler(save('text-responses')),
      remove: responses.remove.handler(remove('text-responses')),
    },
    'sms-keywords': {
      get: keywords.get.handler(read('sms-keywords')),
      set: keywords.set.handler(save('sms-keywords')),
      remove: keywords.remove.handler(remove('sms-keywords')),
    },
    schema: os.platform.schema.handler(({ input: { shape } }) => ({
      ...z.toJSONSchema(shapes[shape], { io: 'input' }),
    })),
    validate: os.platform.validate.handler(({ input: { params, body } }) => {
      const schema = shapes[params.shape]
      const issues = [
        ...unknownFields(schema, body),
        ...issuesOf(schema.safeParse(body).error ?? { issues: [] }),
      ]
      return { valid: issues.length === 0, issues }
    }),
    agents: os.platform.agents.handler(({ input: { workspaceId } }) => {
      const config = store.snapshot()
      if (workspaceId !== undefined) findWorkspace(config, workspaceId)
      return listAgents(config, workspaceId)
    }),
    removeAgent: os.platform.removeAgent.handler(async ({ input: { query } }) => ({
      deleted: await store.update(config => removeAgent(config, scopeOf(query))),
    })),
    export: os.platform.export.handler(({ input }) => {
      const config = store.snapshot()
      const scope = scopeOf(input)
      findWorkspace(config, scope.workspaceId)
      return verbatimFields(
        exportAgent(config.agents.get(agentKey(scope)) ?? { ...scope, shapes: {}, unknown: [] }),
      )
    }),
    import: os.platform.import.handler(async ({ input: { query, body }, context }) => {
      const { agent, issues } = readAgent(documentText(body, context))
      if (agent === null) throw new ServiceError('invalid_document', { data: { issues: [...issues] } })
      const agentId = query.agentId ?? agent.agentId ?? defaultAgentId
      const scope = scopeOf({ ...query, agentId })
      await store.update(config => {
        const { next } = importAgent(config, scope, agent, nowOf(parts))
        return { next: query.dryRun ? config : next, result: undefined }
      })
      const set = shapeNames.filter(name => agent.shapes[name] !== undefined)
      return { ...scope, shapes: set, warnings: [...issues] }
    }),
    tryCrawlerPatterns: os.platform.tryCrawlerPatterns.handler(({ input: { urls, ...patterns } }) => ({
      results: tryPatterns(patterns, urls),
    })),
    trySlots: os.platform.trySlots.handler(({ input: { now = clock(), ...query } }) => ({
      slots: slotsOf({ ...query, now }),
    })),
    tryKeyword: os.platform.tryKeyword.handler(({ input: { text, ...given } }) => {
      const { 'sms-keywords': sms, 'conversation-actions': actions } = shapesOf(
        store.snapshot(),
        scopeOf(given),
      )
      return { matches: matchKeywords(text, { sms, actions }) }
    }),
    tryTextResponse: os.platform.tryTextResponse.handler(({ input: { text, variables } }) => {
      const values = Object.entries(variables).map(([name, value]) => [name, String(value)] as const)
      return fillVariables(text, Object.fromEntries(values))
    }),
    eventTypes: os.platform.eventTypes.handler(() => platformEventTypes(clock())),
  })
}

const Wrapped = z.strictObject({ text: z.string() })

/** Returns the text of a document: the body itself as it was sent, or the text in it. */
function documentText(body: unknown, { bodyText }: CallContext): string {
  const wrapped = Wrapped.safeParse(body)
  return wrapped.success ? wrapped.data.text : (bodyText?.() ?? JSON.stringify(body ?? null))
}
