import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Run } from '#shared/model/run.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { rest, sharedService } from '../support/cli-service.ts'

const shared = sharedService()

const branch = {
  key: 'check',
  type: 'branch',
  cases: [
    {
      when: { value: '{{total}}', operator: 'greater', operand: 100 },
      steps: [{ key: 'stop', type: 'stop', outcome: 'failed', message: 'Too large: {{total}}' }],
    },
  ],
}
const steps = [branch, { key: 'tell', type: 'notify', message: '{{order_id}} {{no.such}}' }]

async function create(service: Awaited<ReturnType<typeof shared.empty>>, name: string): Promise<string> {
  const body = { name, enabled: false, trigger: { type: 'external.event', eventName: 'order.paid' }, steps }
  const answer = await rest(service, 'POST', '/workflows', { body })
  return z.object({ workflowId: z.string() }).parse(answer.body).workflowId
}

describe('run', () => {
  it('runs a workflow and prints its steps, or the run as JSON', async () => {
    const service = await shared.empty()
    const workflowId = await create(service, 'Orders')
    const run = (...args: string[]) => runCli(['run', ...args, '--data-folder', service.data])
    const good = await run('Orders', '--data', '{"order_id": "A", "total": 5}')
    expect(good).toMatchObject({ code: 0, stderr: '' })
    expect(good.stdout.split('\n')).toEqual([
      expect.stringMatching(/^check {2}branch {2}\d+ ms {2}\{"case":null\}$/),
      expect.stringMatching(/^tell {2}notify {2}\d+ ms {2}\{"message":"A "\} {2}\(no value: no\.such\)$/),
      expect.stringMatching(/^succeeded \(run_\w+\)$/),
      '',
    ])
    const bad = await run(workflowId, '--data', '{"total": 500}', '--dry-run', '--json')
    expect(bad.code).toBe(1)
    expect(Run.parse(jsonOf(bad))).toMatchObject({
      ...{ workflowId, status: 'failed', test: true, dryRun: true },
      error: { code: 'stopped', message: 'Too large: 500' },
    })
    expect(await run('Orders', '--data', '{"total": 500}')).toMatchObject({
      ...{ code: 1, stderr: 'stopped: Too large: 500\n' },
    })
  })

  it('exits with a code where there is no such workflow, or more than one', async () => {
    const service = await shared.empty()
    await create(service, 'Twice')
    await create(service, 'Twice')
    const run = async (...args: string[]) => {
      const result = await runCli(['run', ...args, '--data-folder', service.data, '--json'])
      return [result.code, z.object({ code: z.string() }).parse(jsonOf(result)).code]
    }
    expect(await run('None')).toEqual([1, 'workflow_not_found'])
    expect(await run('Twice')).toEqual([1, 'ambiguous_workflow'])
    const both = await runCli(['run', 'Twice', '--data', '{}', '--event', 'evt_1'])
    expect(both).toMatchObject({ code: 2 })
  })
})

describe('list workflows', () => {
  it('shows them as a table, and with --json what REST answers', async () => {
    const service = await shared.empty()
    const list = (...args: string[]) => runCli(['list', 'workflows', ...args, '--data', service.data])
    expect(await list()).toMatchObject({ code: 0, stderr: 'There are no workflows yet.\n' })
    const workflowId = await create(service, 'Orders')
    const { stdout } = await list()
    expect(stdout.split('\n').slice(1)).toEqual([
      expect.stringMatching(`^Orders +${workflowId} +off +order\\.paid +2 +0$`),
      '',
    ])
    expect(jsonOf(await list('--json'))).toEqual((await rest(service, 'GET', '/workflows')).body)
  })
})
