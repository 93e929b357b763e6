import { type StepType, stepTypes } from '#shared/workflows/steps/kinds.ts'

/** Where the steps of the rows call. */
type Places = { readonly url: string; readonly connectionId: string }

type Fields = { readonly type: StepType } & Readonly<Record<string, unknown>>
type AnyStep = Fields & { readonly key: string }

const past = '2026-01-01T00:00:00Z'
export const secret = { name: 'WAREHOUSE_TOKEN', value: 'whs_5f0c' } as const
/** The data of the events that start the rows. */
export const data = { at: past, list: [past, { sku: 'KB-87' }] }

/** The kinds of variables that a template can insert. */
const variables = {
  payload: '{{at}}',
  output: '{{steps.before}}',
  environment: `{{${secret.name}}}`,
  secret: `{{$env.${secret.name}}}`,
  run: '{{$run.id}}',
  length: '{{list.$length}}',
  call: '{{$calls.before.status}}',
  absent: '{{customer.name}}',
}
const variablesInLoop = { item: '{{item}}', index: '{{index}}' }

type Kind = {
  /** Returns steps of the type that use a variable, by names that no others have. */
  readonly examples: (variable: string, places: Places) => Readonly<Record<string, Fields>>
  /** Returns workflows that reach a step through one of this type, named `before`. Null for an action, which calls as `http` does. */
  readonly behind: ((step: AnyStep, places: Places) => Readonly<Record<string, readonly unknown[]>>) | null
}

const isSet = (value: string) => ({ value, operator: 'exists' })
const call = ({ url }: Places, value: string) => ({
  ...{ key: 'call', type: 'http', method: 'POST', url, headers: { 'X-Value': value }, body: { value } },
})
const branch = { key: 'before', type: 'branch' }
const loop = { key: 'before', type: 'each', items: '{{list}}' }

/** A type of step that is missing here does not compile. */
export const kinds: Readonly<Record<StepType, Kind>> = {
  action: {
    examples: (value, { connectionId }) => ({
      action: { type: 'action', connectionId, toolName: 'take', arguments: { value, note: value } },
    }),
    behind: null,
  },
  http: {
    examples: (variable, { url }) => ({
      'http header': { type: 'http', method: 'POST', url, headers: { 'X-Value': `v ${variable}` } },
      'http body': { type: 'http', method: 'PUT', url: `${url}?at=${variable}`, body: { value: variable } },
    }),
    behind: (step, places) => ({ 'after a call': [{ ...call(places, 'v'), key: 'before' }, step] }),
  },
  set: {
    examples: variable => ({
      set: { type: 'set', values: { a: { value: variable }, b: { value: ['5', variable] } } },
      'set of a number': { type: 'set', values: { a: { value: variable, as: 'number' } } },
    }),
    behind: step => ({
      'after a set': [
        { key: 'before', type: 'set', values: { n: { value: '5', as: 'number' }, at: { value: '{{at}}' } } },
        step,
      ],
    }),
  },
  branch: {
    examples: (variable, places) => ({
      branch: { type: 'branch', cases: [{ when: isSet(variable), steps: [call(places, variable)] }] },
    }),
    behind: step => ({
      'in a branch': [{ ...branch, cases: [{ when: isSet('{{at}}'), steps: [step] }] }],
      'in a branch, and the run goes on': [
        { ...branch, cases: [{ when: isSet('{{at}}'), steps: [{ ...step, onFailure: 'continue' }] }] },
        { key: 'after', type: 'notify', message: 'After {{steps.step}}' },
      ],
      'after a branch': [{ ...branch, cases: [{ when: isSet('{{at}}'), steps: [] }] }, step],
    }),
  },
  each: {
    examples: (variable, places) => ({
      each: { type: 'each', items: variable, steps: [] },
      'each of a list': { type: 'each', items: '{{list}}', steps: [call(places, variable)] },
    }),
    behind: step => ({
      'in a loop': [{ ...loop, steps: [step] }],
      'after a loop': [{ ...loop, steps: [] }, step],
    }),
  },
  wait: {
    examples: variable => ({ wait: { type: 'wait', until: variable } }),
    behind: step => ({ 'after a wait': [{ key: 'before', type: 'wait', until: past }, step] }),
  },
  notify: {
    examples: variable => ({ notify: { type: 'notify', message: variable } }),
    behind: step => ({ 'after a message': [{ key: 'before', type: 'notify', message: 'Before' }, step] }),
  },
  stop: {
    examples: variable => ({ stop: { type: 'stop', outcome: 'failed', message: `No ${variable}` } }),
    behind: step => ({
      'beside a stop': [
        {
          ...{ ...branch, cases: [{ when: isSet('{{at}}'), steps: [step] }] },
          otherwise: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
        },
      ],
    }),
  },
}

/** Returns the steps of workflows by their names: each step with each variable, alone and behind each type. */
export function rowsAt(places: Places): ReadonlyMap<string, readonly unknown[]> {
  const rows = new Map<string, readonly unknown[]>()
  for (const type of stepTypes) {
    for (const [source, variable] of Object.entries(variables))
      for (const [name, fields] of Object.entries(kinds[type].examples(variable, places))) {
        const step = { ...fields, key: 'step' }
        rows.set(`${name} with ${source}`, [step])
        for (const { behind } of Object.values(kinds))
          for (const [place, steps] of Object.entries(behind?.(step, places) ?? {}))
            rows.set(`${name} with ${source} ${place}`, steps)
      }
    for (const [source, variable] of Object.entries(variablesInLoop))
      for (const [name, fields] of Object.entries(kinds[type].examples(variable, places)))
        rows.set(`${name} with ${source}`, [{ ...loop, steps: [{ ...fields, key: 'step' }] }])
  }
  return rows
}
