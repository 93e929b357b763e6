import { z } from 'zod'
import { findWorkspace } from '#main/connections/workspaces.ts'
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
import { issuesOf } from '#shared/model/issue.ts'
import { mapShapes, type ShapeName, type Shapes, shapeNames, shapes } from '#shared/model/platform/agent.ts'
import { defaultAgentId } from '#shared/model/platform/parts.ts'
import { tryPatterns } from '#shared/platform/crawler-patterns.ts'
import { matchKeywords } from '#shared/platform/keywords.ts'
import { slotsOf } from '#shared/platform/slots.ts'
import { fillVariables } from '#shared/platform/text-variables.ts'
import { platformEventTypes } from '#shared/platform/webhook-events.ts'
import { unknownFields } from '#shared/unknown-fields.ts'
import { type CallContext, type Handlers, nowOf, type RpcParts } from './context.ts'
import { knowledge } from './knowledge.ts'
import { verbatimFields } from './verbatim.ts'

type Given = { readonly workspaceId?: string | undefined; readonly agentId: string }
const scopeOf = ({ workspaceId = defaultWorkspaceId, agentId }: Given) => ({ workspaceId, agentId })

export function platform(parts: RpcParts): Handlers['platform'] {
  const { store, clock } = parts

  const ofShape = <N extends ShapeName>(name: N) => ({
    get: ({ input }: { input: Given }): Shapes[N] => shapesOf(store.snapshot(), scopeOf(input))[name],
    set: ({ input: { query, body } }: { input: { query: Given; body: Shapes[N] } }): Promise<Shapes[N]> =>
      store.update(config => setShape(config, scopeOf(query), name, body, nowOf(parts))),
    remove: async ({ input: { query } }: { input: { query: Given } }) => ({
      deleted: await store.update(config => removeShape(config, scopeOf(query), name, nowOf(parts))),
    }),
  })
  return {
    ...mapShapes<{ [N in ShapeName]: ReturnType<typeof ofShape<N>> }>(ofShape),
    knowledge: knowledge(parts),
    schema: ({ input: { shape } }) => ({
      ...z.toJSONSchema(shapes[shape].schema, { io: 'input' }),
    }),
    validate: ({ input: { params, body } }) => {
      const { schema } = shapes[params.shape]
      const issues = [
        ...unknownFields(schema, body),
        ...issuesOf(schema.safeParse(body).error ?? { issues: [] }),
      ]
      return { valid: issues.length === 0, issues }
    },
    agents: async ({ input: { workspaceId } }) => {
      const config = store.snapshot()
      if (workspaceId !== undefined) findWorkspace(config, workspaceId)
      return listAgents(config, await parts.knowledge.agents(), workspaceId)
    },
    removeAgent: async ({ input: { query } }) => {
      const scope = scopeOf(query)
      findWorkspace(store.snapshot(), scope.workspaceId)
      // Files first: an agent is listed for its shapes, so that a deletion that fails can be repeated.
      const files = await parts.knowledge.removeAgent(scope)
      const deleted = await store.update(config => removeAgent(config, scope))
      return { deleted: Math.max(deleted, Math.min(files, 1)) }
    },
    export: ({ input }) => {
      const config = store.snapshot()
      const scope = scopeOf(input)
      findWorkspace(config, scope.workspaceId)
      return verbatimFields(
        exportAgent(config.agents.get(agentKey(scope)) ?? { ...scope, shapes: {}, unknown: [] }),
      )
    },
    import: async ({ input: { query, body }, context }) => {
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
    },
    tryCrawlerPatterns: ({ input: { urls, ...patterns } }) => ({
      results: tryPatterns(patterns, urls),
    }),
    trySlots: ({ input: { now = clock(), ...query } }) => ({
      slots: slotsOf({ ...query, now }),
    }),
    tryKeyword: ({ input: { text, ...given } }) => {
      const { 'sms-keywords': sms, 'conversation-actions': actions } = shapesOf(
        store.snapshot(),
        scopeOf(given),
      )
      return { matches: matchKeywords(text, { sms, actions }) }
    },
    tryTextResponse: ({ input: { text, variables } }) => {
      const values = Object.entries(variables).map(([name, value]) => [name, String(value)] as const)
      return fillVariables(text, Object.fromEntries(values))
    },
    eventTypes: () => platformEventTypes(clock()),
  }
}

const Wrapped = z.strictObject({ text: z.string() })

/** Returns the text of a document: the body itself as it was sent, or the text in it. */
function documentText(body: unknown, { bodyText }: CallContext): string {
  const wrapped = Wrapped.safeParse(body)
  return wrapped.success ? wrapped.data.text : (bodyText?.() ?? JSON.stringify(body ?? null))
}
