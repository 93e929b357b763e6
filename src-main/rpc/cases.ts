import { findAction } from '#main/connections/actions.ts'
import {
  addCases,
  casesOf,
  casesOfConnection,
  changeCase,
  findCase,
  newCaseRecord,
  removeCase,
} from '#main/connections/cases.ts'
import { findConnection } from '#main/connections/connections.ts'
import type { KeptResult } from '#main/history/case-results.ts'
import { argumentIssues } from '#main/outbound/arguments.ts'
import { type CaseToRun, runCases } from '#main/outbound/cases/run-cases.ts'
import { type Mask, secretMask } from '#main/outbound/masking.ts'
import type { ActionRecord, CaseRecord, ConnectionRecord } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import {
  Case,
  type CaseChange,
  type CaseData,
  type CaseDifference,
  type CasesRun,
  casesRun,
  type LastResult,
  maxCases,
  storedCase,
  storedExpect,
} from '#shared/model/case.ts'
import type { Issue } from '#shared/model/issue.ts'
import { argumentsOf } from './call-arguments.ts'
import {
  type CallContext,
  deletedOne,
  exactField,
  type Handlers,
  nowOf,
  type RpcParts,
  requireVersion,
} from './context.ts'
import { verbatim, withVerbatimArguments } from './verbatim.ts'

export function cases(parts: RpcParts): Handlers['cases'] {
  const { store, caseResults, environment, random } = parts

  /** Returns an action that exists, with its connection. */
  function find({ connectionId, actionId }: { readonly connectionId: string; readonly actionId: string }) {
    const config = store.snapshot()
    const connection = findConnection(config, connectionId)
    return { config, connection, action: findAction(connection, actionId) }
  }

  /** Shows cases with their newest results. */
  async function shown(connection: ConnectionRecord, records: readonly CaseRecord[]) {
    const few = records.length <= maxCases.ofAction ? records.map(({ caseId }) => caseId) : undefined
    const results = records.length === 0 ? new Map() : await caseResults.newest(connection.connectionId, few)
    const actions = new Map(connection.actions.map(action => [action.actionId, action]))
    const mask = secretMask(environment.secrets())
    return records.map(record =>
      toCase(record, actions.get(record.actionId), results.get(record.caseId), mask),
    )
  }

  async function shownOne(record: CaseRecord) {
    const [one] = await shown(findConnection(store.snapshot(), record.connectionId), [record])
    if (one === undefined) throw new ServiceError('case_not_found')
    return one
  }

  /** @throws ServiceError `invalid_input` for arguments that the action refuses, and for values of variables. */
  function requireUsable(data: Partial<CaseData>, { parameters }: ActionRecord): void {
    const { name, argumentsText, expect } = data
    const given = argumentsText === undefined ? {} : Object(tryParseExact(argumentsText))
    const issues = argumentsText === undefined ? [] : argumentIssues(parameters, given)
    const values = (expect?.fields ?? []).map(({ path, valueText = 'null' }) => [
      path,
      tryParseExact(valueText),
    ])
    const mask = secretMask(environment.secrets())
    const secretIn = (path: string, shown: unknown) =>
      mask(shown) === shown ? [] : [{ path, message: holdsSecret }]
    refuse([
      ...issues.map(({ path, message }) => ({ path: `arguments.${path}`, message })),
      ...secretIn('name', name),
      ...secretIn('arguments', given),
      ...secretIn('expect', values),
    ])
  }

  /** Returns a case as it is now; undefined if it, its action or its connection is gone. */
  function current(caseId: string): CaseToRun | undefined {
    const { cases, connections } = store.snapshot()
    const record = cases.get(caseId)
    const connection = connections.get(record?.connectionId ?? '')
    const action = connection?.actions.find(({ actionId }) => actionId === record?.actionId)
    return record && connection && action && { connection, action, record }
  }

  async function run(
    connectionId: string,
    chosen: readonly CaseRecord[],
    signal: AbortSignal | undefined,
  ): Promise<CasesRun> {
    const kept: KeptResult[] = []
    try {
      const results = await runCases(
        parts,
        chosen,
        current,
        ({ action, record }, { differences, ...result }) =>
          kept.push({
            ...result,
            ...{ difference: differences[0] ?? null, at: parts.clock() },
            ...{ caseVersion: record.updatedAt, actionVersion: action.updatedAt },
          }),
        signal,
      )
      const mask = secretMask(environment.secrets())
      return casesRun(
        results.map(result => ({
          ...result,
          differences: result.differences.map(found => shownDifference(found, mask)),
        })),
      )
    } finally {
      if (kept.length > 0) await caseResults.keep(connectionId, kept)
    }
  }

  return {
    all: ({ input }) => {
      const config = store.snapshot()
      const connection = findConnection(config, input.connectionId)
      return shown(connection, casesOfConnection(config, connection))
    },
    list: ({ input }) => {
      const { config, connection, action } = find(input)
      return shown(connection, casesOf(config, action.actionId))
    },
    create: async ({ input: { connectionId, actionId, ...input }, context }) => {
      const data = storedCase(withExactValues({ ...input, arguments: argumentsOf(input, context) }, context))
      const record = await store.update(config => {
        const action = findAction(findConnection(config, connectionId), actionId)
        requireUsable(data, action)
        const made = newCaseRecord({ connectionId, actionId }, data, nowOf(parts), random)
        return { next: addCases(config, [made]), result: made }
      })
      return shownOne(record)
    },
    get: ({ input }) => {
      const { config } = find(input)
      return shownOne(findCase(config, input.actionId, input.caseId))
    },
    update: async ({ input: { connectionId, actionId, caseId, ifUpdatedAt, ...input }, context }) => {
      const { arguments: named, argumentsText } = input
      const args = argumentsOf({ arguments: named, argumentsText }, context)
      const given = withExactValues({ ...input, arguments: args }, context)
      const change = changeOf(given)
      const record = await store.update(config => {
        const action = findAction(findConnection(config, connectionId), actionId)
        const before = findCase(config, actionId, caseId)
        requireVersion(before, ifUpdatedAt, Case, one =>
          toCase(one, action, undefined, secretMask(environment.secrets())),
        )
        requireUsable(change, action)
        return changeCase(config, { actionId, caseId }, change, nowOf(parts))
      })
      return shownOne(record)
    },
    remove: ({ input }) => {
      find(input)
      return deletedOne(store.update(config => removeCase(config, input.actionId, input.caseId)))
    },
    run: ({ input, signal }) => {
      const { config, connection } = find(input)
      return run(connection.connectionId, [findCase(config, input.actionId, input.caseId)], signal)
    },
    runAll: ({ input: { connectionId, actionId, caseIds }, signal }) => {
      const config = store.snapshot()
      const connection = findConnection(config, connectionId)
      const own =
        actionId === undefined
          ? casesOfConnection(config, connection)
          : casesOf(config, findAction(connection, actionId).actionId)
      const byId = new Map(own.map(record => [record.caseId, record]))
      const wanted = caseIds === undefined ? own : [...new Set(caseIds)].map(id => byId.get(id) ?? missing())
      if (wanted.length > maxCases.atOnce)
        refuse([
          { path: 'caseIds', message: `There are ${wanted.length} cases. Name at most ${maxCases.atOnce}.` },
        ])
      return run(connectionId, wanted, signal)
    },
  }
}

const holdsSecret =
  'This contains the value of an environment variable, which an export would show. Leave it out.'

function missing(): never {
  throw new ServiceError('case_not_found')
}

function refuse(issues: Issue[]): void {
  if (issues.length > 0) throw new ServiceError('invalid_input', { data: { issues } })
}

/** Returns an input whose values have all digits of their numbers, as far as its text is there. */
function withExactValues<Input extends Pick<CaseChange, 'expect'>>(
  input: Input,
  context: CallContext,
): Input {
  const exact = input.expect && exactField(context, 'expect')
  const fields: unknown = isObject(exact) ? exact.fields : undefined
  if (input.expect === undefined || !Array.isArray(fields)) return input
  const withValues = input.expect.fields.map((field, index) => {
    const value: unknown = Object(fields[index]).value
    return value === undefined ? field : { ...field, value }
  })
  return { ...input, expect: { ...input.expect, fields: withValues } }
}

/** Returns the changed fields as they are stored. */
function changeOf({ name, arguments: args, argumentsText, expect }: CaseChange): Partial<CaseData> {
  const text = argumentsText ?? (args && JSON.stringify(args))
  return {
    ...(name !== undefined && { name }),
    ...(text !== undefined && { argumentsText: text }),
    ...(expect !== undefined && { expect: storedExpect(expect) }),
  }
}

/** @param mask hides the values of variables that were set after the case was saved. */
function toCase(
  record: CaseRecord,
  action: ActionRecord | undefined,
  last: KeptResult | undefined,
  mask: Mask,
) {
  const { connectionId: _, name, argumentsText, expect, ...facts } = record
  const given = mask(tryParseExact(argumentsText))
  return {
    ...{ ...facts, name: String(mask(name)) },
    ...withVerbatimArguments({ arguments: isObject(given) ? given : {} }),
    expect: { status: expect.status, fields: expect.fields.map(field => shownField(field, mask)) },
    last: last === undefined ? null : toLast(last, record, action, mask),
  }
}

function shownField({ path, rule, valueText }: CaseData['expect']['fields'][number], mask: Mask) {
  const named = { path: String(mask(path)), rule }
  if (valueText === undefined) return named
  const exact = tryParseExact(valueText)
  const value = mask(exact)
  const isExact = JSON.stringify(JSON.parse(valueText)) === JSON.stringify(exact)
  return { ...named, value: verbatim(value), ...(!isExact && { valueText: JSON.stringify(value) }) }
}

function toLast(
  kept: KeptResult,
  { updatedAt }: CaseRecord,
  action: ActionRecord | undefined,
  mask: Mask,
): LastResult {
  const { at, caseVersion, actionVersion, difference, error, caseId: _, actionId: _action, ...called } = kept
  return {
    ...called,
    error: error && { ...error, message: String(mask(error.message)) },
    at: new Date(at).toISOString(),
    difference: difference && shownDifference(difference, mask),
    isOld: caseVersion !== updatedAt || actionVersion !== action?.updatedAt,
  }
}

function shownDifference(found: CaseDifference, mask: Mask): CaseDifference {
  const { path, expected, actual } = found
  return {
    ...{ ...found, path: String(mask(path)) },
    ...(expected !== undefined && { expected: verbatim(mask(expected)) }),
    ...(actual !== undefined && { actual: verbatim(mask(actual)) }),
  }
}
