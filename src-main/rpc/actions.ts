import { z } from 'zod'
import {
  changeAction,
  createAction,
  findAction,
  type RemovedAction,
  removeAction,
  restoreAction,
} from '#main/connections/actions.ts'
import { findConnection } from '#main/connections/connections.ts'
import { newSigningSecret } from '#main/connections/identifiers.ts'
import { actionRequest } from '#main/outbound/action-request.ts'
import { runReceiverCheck } from '#main/outbound/receiver-check/run-check.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import { ActionWithWarnings } from '#shared/contract/actions.ts'
import { ServiceError } from '#shared/errors.ts'
import { actionWarnings } from '#shared/model/action.ts'
import type { CallError, CallResult } from '#shared/model/call.ts'
import { Issue } from '#shared/model/issue.ts'
import { argumentsOf } from './call-arguments.ts'
import { type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'
import { verbatim, verbatimFields, withVerbatimArguments } from './verbatim.ts'

/** Removed actions that can be restored, over all connections. They are kept in memory only. */
const maxRemoved = 100

export function actions(parts: RpcParts): Handlers['actions'] {
  const { store, calls, callHistory, random } = parts
  const find = (connectionId: string) => findConnection(store.snapshot(), connectionId)
  /** Newest first. */
  let removed: readonly RemovedAction[] = []

  return {
    list: ({ input }) => [...find(input.connectionId).actions],
    create: async ({ input: { connectionId, ...fields } }) =>
      withWarnings(
        await store.update(config => createAction(config, connectionId, fields, nowOf(parts), random)),
      ),
    get: ({ input: { connectionId, actionId } }) => withWarnings(findAction(find(connectionId), actionId)),
    update: async ({ input: { connectionId, actionId, ifUpdatedAt, ...change } }) =>
      withWarnings(
        await store.update(config => {
          const before = findAction(findConnection(config, connectionId), actionId)
          requireVersion(before, ifUpdatedAt, ActionWithWarnings, withWarnings)
          return changeAction(config, connectionId, actionId, change, nowOf(parts))
        }),
      ),
    remove: async ({ input: { connectionId, actionId } }) => {
      const action = await store.update(config => removeAction(config, connectionId, actionId, nowOf(parts)))
      removed = [action, ...removed].slice(0, maxRemoved)
      return { deleted: 1 }
    },
    restore: async ({ input: { connectionId, actionId } }) => {
      find(connectionId)
      const action = removed.find(
        one => one.connectionId === connectionId && one.record.actionId === actionId,
      )
      if (action === undefined) throw new ServiceError('action_not_found')
      // Removed from the list first, so that the second of two concurrent calls finds nothing to restore.
      removed = removed.filter(one => one !== action)
      try {
        return withWarnings(await store.update(config => restoreAction(config, action, nowOf(parts))))
      } catch (error) {
        removed = [action, ...removed]
        throw error
      }
    },
    test: async ({ input, signal, context }) => {
      const connection = find(input.connectionId)
      const action = findAction(connection, input.actionId)
      const { source } = input
      const request = actionRequest(connection, action, argumentsOf(input, context), { source })
      const outcome = await calls.run(request, signal)
      return {
        ...toAnswer(outcome),
        callId: outcome.callId,
        ...(connection.enabled ? {} : { connectionEnabled: false as const }),
      }
    },
    check: async ({ input, signal, context }) => {
      const connection = find(input.connectionId)
      const action = findAction(connection, input.actionId)
      const request = actionRequest(connection, action, argumentsOf(input, context), { source: 'check' })
      if ('error' in request && request.error.code === 'invalid_arguments')
        throw refusedArguments(request.error)
      const { checks: chosen, allowEffects } = input
      const wrongSecret = newSigningSecret(random)
      return runReceiverCheck(
        parts,
        { request, secrets: connection, wrongSecret, chosen, allowEffects },
        signal,
      )
    },
    tests: async ({ input: { connectionId, actionId } }) => {
      const action = findAction(find(connectionId), actionId)
      const tests = await callHistory.tests(connectionId, action.actionId)
      return {
        tests: tests.map(test => ({
          ...withVerbatimArguments(test),
          result: toAnswer(test.result),
        })),
      }
    },
    lastTests: async ({ input }) => {
      const { actions, connectionId } = find(input.connectionId)
      const existing = new Set(actions.map(({ actionId }) => actionId))
      const tests = await callHistory.newest(connectionId)
      return { tests: tests.filter(({ actionId }) => existing.has(actionId)) }
    },
  }
}

const WithIssues = z.object({ issues: z.array(Issue) })

/** Returns the error of a request whose arguments do not fit, with each issue. */
function refusedArguments({ message, data }: CallError): ServiceError {
  const { issues } = WithIssues.parse(data)
  return new ServiceError('invalid_arguments', { detail: message, data: { issues } })
}

function withWarnings(action: ActionRecord) {
  return { ...action, warnings: actionWarnings(action) }
}

function toAnswer(outcome: CallResult): CallResult {
  const { result, mapped } = outcome
  return { ...outcome, result: verbatim(result), mapped: mapped && verbatimFields(mapped) }
}
