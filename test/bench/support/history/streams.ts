import { z } from 'zod'
import type { Nodes } from '../nodes.ts'
import { nodeHeader, nodeVariable } from './call-receiver.ts'
import type { Stream } from './history.ts'

/** Connections whose events start nothing, and others whose events start a run of these steps. */
export const streams = {
  plain: { steps: [] },
  actions: { steps: ['first', 'second', 'third'] },
  'lane-1': { steps: ['first', 'second'], isOrdered: true },
  'lane-2': { steps: ['first', 'second'], isOrdered: true },
  'lane-3': { steps: ['first', 'second'], isOrdered: true },
  once: { steps: ['only'], isOnce: true },
  repeats: { steps: ['only'] },
  edited: { steps: ['only'] },
  rotated: { steps: [] },
  /** The connections that are switched off one after another. */
  switched: { steps: [] },
} satisfies Record<string, Stream>

export type StreamName = keyof typeof streams

export const Created = z.object({
  connectionId: z.string(),
  credentials: z.object({ inboundToken: z.string(), signingSecret: z.string() }),
})
const Workflow = z.object({ workflowId: z.string() })

/** A connection, and the workflow that its events start. */
export type Opened = {
  readonly connectionId: string
  readonly path: string
  readonly secret: string
  readonly workflowId: string | null
}

/** A connection that keeps all of its events. */
export const newConnection = {
  persistEvents: true,
  retention: { maxEvents: 10_000_000, maxDays: 3650 },
}

export const inboundPath = (token: string) => `/api/connect/${token}/events`

/** Returns the only step of the workflow that is edited. @param version what its call tells. */
export const editedSteps = (url: string, version: number) => [
  httpStep(url, 'edited', 'only', { version: `${version}` }),
]

function httpStep(url: string, stream: string, key: string, body: object = {}) {
  return {
    ...{ key, type: 'http', method: 'POST', url },
    headers: { [nodeHeader]: `{{${nodeVariable}}}` },
    body: { stream, step: key, id: '{{id}}', ...body },
  }
}

/** Creates the connection and the workflow of each stream but `switched`. @param url of the receiver. */
export async function openStreams(
  { call }: Pick<Nodes, 'call'>,
  url: string,
): Promise<Record<Exclude<StreamName, 'switched'>, Opened>> {
  async function open(name: StreamName): Promise<Opened> {
    const { steps, isOrdered, isOnce }: Stream = streams[name]
    const { connectionId, credentials } = Created.parse(
      await call('POST', '/connections', {
        ...{ name, ...newConnection, ignoreRepeats: name === 'repeats' },
        ...(name === 'actions' && { baseUrl: url }),
      }),
    )
    const opened = {
      connectionId,
      path: inboundPath(credentials.inboundToken),
      secret: credentials.signingSecret,
    }
    if (steps.length === 0) return { ...opened, workflowId: null }
    const workflow = {
      ...{ name, ...(isOrdered ? { ordered: true } : { concurrency: 50 }) },
      trigger: {
        ...{ type: 'external.event', connectionId },
        ...(isOnce === true && { once: { key: '{{key}}', hours: 24 } }),
      },
      steps:
        name === 'actions'
          ? await actionSteps(connectionId, steps)
          : name === 'edited'
            ? editedSteps(url, 0)
            : steps.map(step => httpStep(url, name, step)),
    }
    const { workflowId } = Workflow.parse(await call('POST', '/workflows', workflow))
    return { ...opened, workflowId }
  }

  async function actionSteps(connectionId: string, steps: readonly string[]) {
    const parameter = { type: 'string', description: 'A text.', required: true }
    await call('POST', `/connections/${connectionId}/actions`, {
      ...{ name: 'Note', toolName: 'note', description: 'Notes a step.', path: '/notes' },
      headers: { [nodeHeader]: `{{${nodeVariable}}}` },
      parameters: ['stream', 'id', 'step'].map(name => ({ ...parameter, name })),
    })
    return steps.map(step => ({
      ...{ key: step, type: 'action', connectionId, toolName: 'note' },
      arguments: { stream: 'actions', id: '{{id}}', step },
    }))
  }

  return {
    plain: await open('plain'),
    actions: await open('actions'),
    'lane-1': await open('lane-1'),
    'lane-2': await open('lane-2'),
    'lane-3': await open('lane-3'),
    once: await open('once'),
    repeats: await open('repeats'),
    edited: await open('edited'),
    rotated: await open('rotated'),
  }
}
