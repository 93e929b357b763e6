import type { Action } from '#shared/model/action.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { EventType } from '#shared/model/event-type.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import type { Method } from '#shared/model/method.ts'
import type { ParameterType } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import { subjectVariable } from '#shared/model/subject.ts'
import { triggerType } from '#shared/model/trigger.ts'
import type { WorkflowFields } from '#shared/model/workflow.ts'
import { typeOf } from '#shared/workflows/references.ts'
import { resolve } from '#shared/workflows/scope.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

/** A connection that a starter can be made of, with what it declares. */
export type StarterSource = Pick<ConnectionSummary, 'connectionId' | 'name' | 'baseUrl'> & {
  readonly eventTypes: readonly Pick<EventType, 'eventName' | 'samplePayload'>[]
  readonly actions: readonly Pick<Action, 'toolName' | 'method' | 'isEnabled' | 'parameters'>[]
}

/** A line of a starter's picture. */
export type StarterLine =
  | { readonly kind: 'trigger'; readonly eventName: string | null; readonly connection: string }
  | { readonly kind: 'branch'; readonly variable: string; readonly above: number }
  | { readonly kind: 'notify'; readonly text: string; readonly variable: string }
  | { readonly kind: 'action'; readonly method: Method; readonly toolName: string }
  | { readonly kind: 'argument'; readonly name: string; readonly variable: string }
  | { readonly kind: 'http'; readonly method: Method }
  | { readonly kind: 'signed' }

/** A workflow to begin with. */
export type Starter = {
  readonly title: string
  readonly text: string
  /** Its steps, as they are drawn. */
  readonly lines: readonly StarterLine[]
  /** Switched off. */
  readonly workflow: WorkflowFields
  /** Whether no connection fits, so that the sample has to be loaded first. */
  readonly needsSample: boolean
}

/** The parts of the sample connection that its starters use, while it is not loaded. */
export const sampleSource: StarterSource = {
  connectionId: 'conn_sample',
  name: 'Sample order system',
  baseUrl: 'http://127.0.0.1',
  eventTypes: [
    {
      eventName: 'order.paid',
      samplePayload: { order_id: 'ORD-20418', total: 149, currency: 'EUR' },
    },
  ],
  actions: [
    {
      toolName: 'look_up_order',
      method: 'GET',
      isEnabled: true,
      parameters: [{ name: 'order_id', type: 'string', description: 'Order number', required: true }],
    },
  ],
}

/** Returns the three starters, made of the first of these connections that fits each. */
export function startersOf(sources: readonly StarterSource[]): Starter[] {
  return [tellLarge, passOn, forward].map(make => {
    const found = make(sources)
    if (found !== null) return { ...found, needsSample: false }
    const ofSample = make([sampleSource])
    if (ofSample === null) throw new Error('The sample fits every starter.')
    return { ...ofSample, needsSample: true }
  })
}

type Made = Omit<Starter, 'needsSample'>
type Sample = EventType['samplePayload']

function workflowOf(
  name: string,
  connectionId: string,
  eventName: string | null,
  steps: Step[],
): WorkflowFields {
  const trigger = { type: triggerType, connectionId, eventName } as const
  return { name, enabled: false, trigger, steps, ordered: false, concurrency: 10 }
}

/** Names of amounts, the most telling first. */
const amounts = ['total', 'grand_total', 'amount', 'value', 'price']

/** Notifies when the amount of an event is large, as that of the sample payload is. */
function tellLarge(sources: readonly StarterSource[]): Made | null {
  for (const { connectionId, name, eventTypes } of sources) {
    const candidates = eventTypes.flatMap(({ eventName, samplePayload }) =>
      variablesOf(samplePayload).flatMap(variable => {
        const rank = amounts.indexOf(lastPart(variable))
        const amount = sampleValue(samplePayload, variable)
        return rank === -1 || typeof amount !== 'number' || amount <= 0
          ? []
          : [{ eventName, samplePayload, variable, rank, amount }]
      }),
    )
    const best = candidates.sort((one, other) => one.rank - other.rank || other.amount - one.amount)[0]
    if (best === undefined) continue
    const { eventName, samplePayload, variable, amount } = best
    const above = roundBelow(amount)
    const subject = samplePayload && subjectVariable(samplePayload, eventName)
    const currency = variablesOf(samplePayload).find(path => lastPart(path) === 'currency')
    const price = `{{${variable}}}${currency === undefined ? '' : ` {{${currency}}}`}`
    const title = 'Tell me about large orders'
    return {
      title,
      text: 'A desktop notification when a total is above what you choose.',
      lines: [
        { kind: 'trigger', eventName, connection: name },
        { kind: 'branch', variable, above },
        { kind: 'notify', text: subject === null ? 'Large' : 'Check', variable: subject ?? variable },
      ],
      workflow: workflowOf(title, connectionId, eventName, [
        {
          key: 'is_large',
          type: 'branch',
          cases: [
            {
              when: { value: `{{${variable}}}`, operator: 'greater', operand: above },
              steps: [
                {
                  key: 'tell',
                  type: 'notify',
                  message: subject === null ? `Large: ${price}` : `Check {{${subject}}}: ${price}`,
                },
              ],
            },
          ],
          otherwise: [],
        },
      ]),
    }
  }
  return null
}

/** Methods of actions, those that bring something to a system first. Nothing is deleted by a starter. */
const methods: readonly Method[] = ['POST', 'PUT', 'PATCH', 'GET']

/** Calls an action whose required parameters an event has, best that of another connection. */
function passOn(sources: readonly StarterSource[]): Made | null {
  const pairs = sources.flatMap(from =>
    from.eventTypes.flatMap(({ eventName, samplePayload }) =>
      sources.flatMap(to =>
        to.actions.flatMap(action => {
          const { isEnabled, method, toolName, parameters } = action
          if (to.baseUrl === null || !isEnabled || !methods.includes(method)) return []
          const given = parameters.flatMap(parameter => {
            const variable = variableFor(parameter.name, parameter.type, samplePayload)
            return variable === null ? [] : [{ parameter, variable }]
          })
          const isComplete = parameters.every(
            one => !one.required || given.some(({ parameter }) => parameter === one),
          )
          if (!isComplete || given.length === 0) return []
          const fields = variablesOf(samplePayload).length
          return [{ from, to, eventName, fields, method, toolName, given }]
        }),
      ),
    ),
  )
  const other = ({ from, to }: (typeof pairs)[number]) => (from === to ? 1 : 0)
  const [best] = pairs.sort(
    (one, two) =>
      other(one) - other(two) ||
      methods.indexOf(one.method) - methods.indexOf(two.method) ||
      two.given.length - one.given.length ||
      two.fields - one.fields,
  )
  const [first] = best?.given ?? []
  if (best === undefined || first === undefined) return null
  const { from, to, eventName, method, toolName, given } = best
  const title = 'Pass it on to another system'
  return {
    title,
    text: 'One system’s event becomes a signed call to another one’s action.',
    lines: [
      { kind: 'trigger', eventName, connection: from.name },
      { kind: 'action', method, toolName },
      { kind: 'argument', name: first.parameter.name, variable: first.variable },
    ],
    workflow: workflowOf(title, from.connectionId, eventName, [
      {
        key: 'pass_on',
        type: 'action',
        connectionId: to.connectionId,
        toolName,
        arguments: Object.fromEntries(
          given.map(({ parameter, variable }) => [parameter.name, `{{${variable}}}`]),
        ),
      },
    ]),
  }
}

/** Sends every event of a connection on, in the form in which it arrived. */
function forward(sources: readonly StarterSource[]): Made | null {
  const source = sources.find(({ baseUrl }) => baseUrl !== null) ?? sources[0]
  if (source === undefined) return null
  const { connectionId, name, baseUrl } = source
  const title = 'Forward everything to a URL'
  return {
    title,
    text: 'Each event of a connection, sent on as it came, signed with its secret.',
    lines: [
      { kind: 'trigger', eventName: null, connection: name },
      { kind: 'http', method: 'POST' },
      { kind: 'signed' },
    ],
    workflow: workflowOf(title, connectionId, null, [
      {
        key: 'forward',
        type: 'http',
        method: 'POST',
        url: `${baseUrl?.replace(/\/+$/, '') ?? 'https://api.example.com'}/events`,
        body: { event: '{{eventName}}', data: '{{event}}' },
        signWith: connectionId,
      },
    ]),
  }
}

const lastPart = (variable: string) => variable.slice(variable.lastIndexOf('.') + 1)

const sampleValue = (sample: Sample, variable: string): unknown =>
  resolve(variable, { payload: sample ?? {}, steps: new Map() })

/** Returns the largest of 1, 2, 5, 10, 20, … below an amount. */
function roundBelow(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount))
  const below = [5, 2, 1, 0.5].map(step => Number((step * power).toPrecision(1)))
  return below.find(limit => limit < amount) ?? 0
}

/** Returns the variable with the name of a parameter and a value of its type. */
function variableFor(name: string, type: ParameterType, sample: Sample): string | null {
  const candidates = variablesOf(sample).filter(
    variable =>
      lastPart(variable) === name &&
      parameterKinds[type].takes.includes(typeOf(sampleValue(sample, variable))),
  )
  return candidates.sort((one, other) => one.length - other.length)[0] ?? null
}
