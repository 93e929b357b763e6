import { z } from 'zod'
import { Action, ActionChange, ActionWarning, checkAcrossFields, NewAction } from '../model/action.ts'
import { CallArguments, CallSource, LastTest, TestRecord, TestResult } from '../model/call.ts'
import { parseSample } from '../model/event-type.ts'
import { Deleted, route } from './base.ts'
import { OneConnection } from './connections.ts'

const tag = 'actions'
const One = OneConnection.extend({ actionId: z.string() })
/** An action with warnings about unusual but valid values. */
export const ActionWithWarnings = Action.extend({ warnings: z.array(ActionWarning) })

export const actions = {
  list: route('GET', '/connections/{connectionId}/actions', {
    tag,
    summary: 'Actions of a connection, in the order of creation',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(z.array(Action)),
  create: route('POST', '/connections/{connectionId}/actions', {
    tag,
    summary: 'Create an action; without a tool name, one is derived from its name',
    errors: ['connection_not_found', 'duplicate_tool_name'],
    successStatus: 201,
  })
    .input(OneConnection.extend(NewAction.shape).check(checkAcrossFields))
    .output(ActionWithWarnings),
  get: route('GET', '/connections/{connectionId}/actions/{actionId}', {
    tag,
    summary: 'One action',
    errors: ['connection_not_found', 'action_not_found'],
  })
    .input(One)
    .output(ActionWithWarnings),
  update: route('PATCH', '/connections/{connectionId}/actions/{actionId}', {
    tag,
    summary: 'Change an action, or switch it on or off',
    errors: ['connection_not_found', 'action_not_found', 'duplicate_tool_name'],
  })
    .input(One.extend(ActionChange.shape))
    .output(ActionWithWarnings),
  remove: route('DELETE', '/connections/{connectionId}/actions/{actionId}', {
    tag,
    summary: 'Remove an action',
    errors: ['connection_not_found', 'action_not_found'],
  })
    .input(One)
    .output(Deleted),
  restore: route('POST', '/connections/{connectionId}/actions/{actionId}/restore', {
    tag,
    summary: 'Restore a removed action with its place and calls; possible until the service restarts',
    errors: ['connection_not_found', 'action_not_found', 'duplicate_tool_name'],
  })
    .input(One)
    .output(ActionWithWarnings),
  test: route('POST', '/connections/{connectionId}/actions/{actionId}/test', {
    tag,
    summary: 'Call an action with a real, signed request, whether it is switched on or off',
    errors: ['connection_not_found', 'action_not_found'],
  })
    .input(
      One.extend({
        arguments: CallArguments.default({}),
        argumentsText: z
          .string()
          .refine(text => parseSample(text) !== null, 'The arguments must be a JSON object.')
          .optional()
          .describe(
            '`arguments` as JSON text, which keeps all digits of numbers; takes precedence over `arguments`.',
          ),
        source: CallSource.default('test').describe('The origin of the call, for the activity.'),
      }),
    )
    .output(TestResult),
  tests: route('GET', '/connections/{connectionId}/actions/{actionId}/tests', {
    tag,
    summary: 'The last 50 calls of an action, newest first',
    errors: ['connection_not_found', 'action_not_found'],
  })
    .input(One)
    .output(z.object({ tests: z.array(TestRecord) })),
  lastTests: route('GET', '/connections/{connectionId}/last-tests', {
    tag,
    summary: 'A summary of the newest call of each action',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(z.object({ tests: z.array(LastTest) })),
}
