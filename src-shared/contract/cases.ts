import { z } from 'zod'
import { Case, CaseChange, CasesRun, maxCases, NewCase } from '../model/case.ts'
import { Deleted, ifUpdatedAt, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('cases', '/connections/{connectionId}')
const OfAction = OneConnection.extend({ actionId: z.string() })
const One = OfAction.extend({ caseId: z.string() })

export const cases = {
  all: route('GET', '/cases', 'The cases of all actions of a connection, with their newest results')
    .input(OneConnection)
    .output(z.array(Case)),
  list: route('GET', '/actions/{actionId}/cases', 'The cases of an action, in the order of creation')
    .input(OfAction)
    .output(z.array(Case)),
  create: route('POST', '/actions/{actionId}/cases', 'Keep a call of an action with the answer it expects', [
    'case_name_taken',
    'too_many_cases',
  ])
    .route({ successStatus: 201 })
    .input(OfAction.extend(NewCase.shape))
    .output(Case),
  get: route('GET', '/actions/{actionId}/cases/{caseId}', 'One case').input(One).output(Case),
  update: route('PATCH', '/actions/{actionId}/cases/{caseId}', 'Change a case', [
    'case_name_taken',
    'changed_meanwhile',
  ])
    .input(One.extend({ ...CaseChange.shape, ...ifUpdatedAt }))
    .output(Case),
  remove: route('DELETE', '/actions/{actionId}/cases/{caseId}', 'Remove a case').input(One).output(Deleted),
  run: route(
    'POST',
    '/actions/{actionId}/cases/{caseId}/run',
    'Call the action of a case, and compare the answer with what the case expects',
  )
    .input(One)
    .output(CasesRun),
  runAll: route(
    'POST',
    '/cases/run',
    `Run cases of a connection one after another, at most ${maxCases.atOnce} at once; all by default`,
    ['action_not_found', 'case_not_found'],
  )
    .input(
      OneConnection.extend({
        actionId: z.string().optional().describe('Only the cases of this action.'),
        caseIds: z
          .array(z.string())
          .min(1)
          .max(maxCases.atOnce, `A request runs at most ${maxCases.atOnce} cases.`)
          .optional()
          .describe('Only these, in this order.'),
      }),
    )
    .output(CasesRun),
}
