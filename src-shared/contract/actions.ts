import { z } from 'zod'
import { Action, ActionChange, checkAcrossFields, NewAction } from '../model/action.ts'
import { CallArguments, CallSource, LastTest, TestRecord, TestResult } from '../model/call.ts'
import { parseSample } from '../model/event-type.ts'
import { CheckId, ReceiverCheck } from '../model/receiver-check.ts'
import { SavedWarning } from '../model/saved-warning.ts'
import { Deleted, ifUpdatedAt, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('actions', '/connections/{connectionId}')
const One = OneConnection.extend({ actionId: z.string() })
const GivenArguments = {
  arguments: CallArguments.default({}),
  argumentsText: z
    .string()
    .refine(text => parseSample(text) !== null, 'The arguments must be a JSON object.')
    .optional()
    .describe(
      '`arguments` as JSON text, which keeps all digits of numbers; takes precedence over `arguments`.',
    ),
}
/** An action with warnings about unusual but valid values. */
export const ActionWithWarnings = Action.extend({ warnings: z.array(SavedWarning) })

export const actions = {
  list: route('GET', '/actions', 'Actions of a connection, in the order of creation')
    .input(OneConnection)
    .output(z.array(Action)),
  create: route('POST', '/actions', 'Create an action; without a tool name, one is derived from its name', [
    'duplicate_tool_name',
  ])
    .route({ successStatus: 201 })
    .input(OneConnection.extend(NewAction.shape).check(checkAcrossFields))
    .output(ActionWithWarnings),
  get: route('GET', '/actions/{actionId}', 'One action').input(One).output(ActionWithWarnings),
  update: route('PATCH', '/actions/{actionId}', 'Change an action, or switch it on or off', [
    'duplicate_tool_name',
    'changed_meanwhile',
  ])
    .input(One.extend({ ...ActionChange.shape, ...ifUpdatedAt }))
    .output(ActionWithWarnings),
  remove: route('DELETE', '/actions/{actionId}', 'Remove an action').input(One).output(Deleted),
  restore: route(
    'POST',
    '/actions/{actionId}/restore',
    'Restore a removed action with its place and calls; possible until the service restarts',
    ['duplicate_tool_name', 'too_many_cases'],
  )
    .input(One)
    .output(ActionWithWarnings),
  test: route(
    'POST',
    '/actions/{actionId}/test',
    'Call an action with a real, signed request, whether it is switched on or off',
  )
    .input(
      One.extend({
        ...GivenArguments,
        source: CallSource.extract(['test', 'cli'])
          .default('test')
          .describe('The origin of the call, for the activity.'),
      }),
    )
    .output(TestResult),
  check: route(
    'POST',
    '/actions/{actionId}/check',
    'Check that the receiver of an action refuses wrong calls and accepts right ones',
    ['invalid_arguments'],
  )
    .input(
      One.extend({
        ...GivenArguments,
        checks: z.array(CheckId).min(1).max(CheckId.options.length).optional().describe('All by default.'),
        allowEffects: z
          .boolean()
          .default(false)
          .describe(
            'Whether calls may be sent that a right receiver accepts, and acts on. Without it, only a GET sends them.',
          ),
      }),
    )
    .output(ReceiverCheck),
  tests: route('GET', '/actions/{actionId}/tests', 'The last 50 calls of an action, newest first')
    .input(One)
    .output(z.object({ tests: z.array(TestRecord) })),
  lastTests: route('GET', '/last-tests', 'A summary of the newest call of each action')
    .input(OneConnection)
    .output(z.object({ tests: z.array(LastTest) })),
}
