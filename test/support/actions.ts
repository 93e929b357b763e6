import { z } from 'zod'
import { Action } from '#shared/model/action.ts'
import { TestRecord, TestResult } from '#shared/model/call.ts'
import { SavedWarning } from '#shared/model/saved-warning.ts'
import type { Rest } from './rest-client.ts'

export const CreatedAction = z.strictObject({ ...Action.shape, warnings: z.array(SavedWarning) })
export type CreatedAction = z.infer<typeof CreatedAction>

/** Creates an action over REST: a GET of /orders, unless the fields say otherwise. */
export async function createAction(
  rest: Rest,
  connectionId: string,
  fields: object = {},
): Promise<CreatedAction> {
  const defaults = { name: 'Look up', description: 'When somebody asks.', method: 'GET', path: '/orders' }
  const answer = await rest('POST', `/connections/${connectionId}/actions`, { ...defaults, ...fields })
  if (answer.status !== 201) throw new Error(`The action was refused: ${answer.text}`)
  return CreatedAction.parse(answer.body)
}

type Place = { readonly connectionId: string; readonly actionId: string }

/** Calls an action as the Test button does. */
export async function testAction(rest: Rest, place: Place, given?: object): Promise<TestResult> {
  const path = `/connections/${place.connectionId}/actions/${place.actionId}/test`
  const answer = await rest('POST', path, given === undefined ? {} : { arguments: given })
  if (answer.status !== 200) throw new Error(`The test was refused: ${answer.text}`)
  return z.strictObject(TestResult.shape).parse(answer.body)
}

/** The tests that are kept of an action, newest first. */
export async function testsOf(rest: Rest, { connectionId, actionId }: Place): Promise<TestRecord[]> {
  const { body } = await rest('GET', `/connections/${connectionId}/actions/${actionId}/tests`)
  return z.strictObject({ tests: z.array(z.strictObject(TestRecord.shape)) }).parse(body).tests
}
