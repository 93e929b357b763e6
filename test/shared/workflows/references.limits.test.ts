import { expect, test } from 'vitest'
import { WorkflowFields } from '#shared/model/workflow.ts'
import type { WorkflowIssue } from '#shared/model/workflow-issue.ts'
import { workflowIssues } from '#shared/workflows/references.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

test('a workflow with very many wrong names is checked in a short time, and an unknown connection is still found', () => {
  const wrong = (index: number) => `{{steps.${'x'.repeat(55)}${index}}}`
  const message = Array.from({ length: 100 }, (_, index) => wrong(index)).join('')
  const steps = Array.from({ length: 99 }, (_, index) => ({
    key: `${'y'.repeat(55)}${index}`,
    type: 'notify',
    message,
  }))
  const last = {
    key: 'reserve',
    type: 'action',
    connectionId: 'conn_9',
    toolName: 'reserve_stock',
    arguments: {},
  }
  const workflow = WorkflowFields.parse({
    name: 'W',
    trigger: { type: 'external.event' },
    steps: [...steps, last],
  })
  let issues: WorkflowIssue[] = []
  const known = { connections: new Map(), sample: {} }
  expect(cpuMs(() => (issues = workflowIssues(workflow, known)))).toBeLessThan(2000)
  expect(issues).toHaveLength(101)
  expect(issues.at(-1)).toMatchObject({
    stepKey: 'reserve',
    path: 'steps.99.connectionId',
    code: 'unknown_connection',
  })
})
