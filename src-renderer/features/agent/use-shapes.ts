import { ORPCError } from '@orpc/client'
import { skipToken, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { mapShapes, type ShapeName, type Shapes, shapes } from '#shared/model/platform/agent.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { type Scope, useAgent } from './use-agent.ts'

/** The saved state of the object that a page edits. */
export type Saved<T extends object> = {
  /** Undefined until it is loaded. */
  readonly value: T | undefined
  readonly error: unknown
  readonly retry: () => void
  readonly schema: z.ZodType<T>
  /** The agent that it belongs to; null until the workspace is known. */
  readonly scope: Scope | null
  /**
   * Saves the object if the service has the one that it is a change to when it is asked. Returns what was saved.
   *
   * @param changed the names of the fields that differ.
   * @throws ORPCError `changed_meanwhile` with the current object.
   */
  readonly save: (value: T, changed: readonly string[], before: T) => Promise<T>
}

/** Returns a shape of the open agent, which follows changes made elsewhere, and a function that saves it. */
export function useShape<N extends ShapeName>(name: N): Saved<Shapes[N]> {
  return useSaved({
    name,
    schema: schemas[name],
    read: scope => platform[name].get(scope),
    write: (scope, value) => platform[name].set({ query: scope, body: value }),
  })
}

/** The shapes that decide about what a customer writes. */
export const TextShapes = z.object({
  'conversation-actions': shapes['conversation-actions'].schema,
  'text-responses': shapes['text-responses'].schema,
  'sms-keywords': shapes['sms-keywords'].schema,
})
export type TextShapes = z.infer<typeof TextShapes>

/** Returns the conversation actions, text responses and SMS keywords as one object; see `useShape`. */
export function useTextShapes(): Saved<TextShapes> {
  return useSaved({
    name: 'texts',
    schema: TextShapes,
    async read(scope) {
      const [actions, responses, keywords] = await Promise.all([
        platform['conversation-actions'].get(scope),
        platform['text-responses'].get(scope),
        platform['sms-keywords'].get(scope),
      ])
      return { 'conversation-actions': actions, 'text-responses': responses, 'sms-keywords': keywords }
    },
    async write(scope, value, changed) {
      for (const name of TextShapes.keyof().options)
        if (changed.includes(name)) await write(scope, name, value)
      return value
    },
  })
}

type ShapeClient = {
  readonly [N in ShapeName]: {
    get(input: Scope): Promise<Shapes[N]>
    set(input: { query: Scope; body: Shapes[N] }): Promise<Shapes[N]>
  }
}
const platform: ShapeClient = client.platform
const schemas = mapShapes<{ [N in ShapeName]: z.ZodType<Shapes[N]> }>((_name, { schema }) => schema)

async function write<N extends ShapeName>(scope: Scope, name: N, value: Pick<Shapes, N>): Promise<void> {
  await platform[name].set({ query: scope, body: value[name] })
}

function useSaved<T extends object>(options: {
  readonly name: string
  readonly schema: z.ZodType<T>
  readonly read: (scope: Scope) => Promise<T>
  readonly write: (scope: Scope, value: T, changed: readonly string[]) => Promise<T>
}): Saved<T> {
  const { name, schema, read, write } = options
  const { scope } = useAgent()
  const { data, error, refetch } = useQuery({
    queryKey: [...api.platform.key(), name, scope],
    queryFn: scope === null ? skipToken : () => read(scope),
  })
  return {
    value: data,
    error,
    retry: () => void refetch(),
    schema,
    scope,
    async save(value, changed, before) {
      if (scope === null) return value
      // A shape is written as a whole, so a change of another window would be lost. It has no version to make the write
      // itself depend on: what another window saves between these two calls is still lost.
      const current = await read(scope)
      if (JSON.stringify(current) !== JSON.stringify(before))
        throw new ORPCError('changed_meanwhile', { data: { issues: [], current } })
      try {
        return await write(scope, value, changed)
      } finally {
        await queries.invalidateQueries({ queryKey: api.platform.key() })
      }
    },
  }
}
