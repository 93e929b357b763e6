import { expect, test } from 'vitest'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { rest, sharedService } from '../support/cli-service.ts'

const shared = sharedService()

test('alerts are listed and muted, and --fail tells a script of open ones', async () => {
  const service = await shared.empty()
  const alerts = (...args: string[]) => runCli(['alerts', ...args, '--data', service.data])
  expect(await alerts('list', '--fail')).toEqual({ code: 0, stdout: '', stderr: 'No alert is open.\n' })
  expect(await alerts('list', '--state', 'closed')).toMatchObject({ stderr: 'There are no alerts.\n' })
  expect(jsonOf(await alerts('list', '--json'))).toEqual((await rest(service, 'GET', '/alerts')).body)
  expect(await alerts('mute', 'alert_0i3mxhytq73', '--hours', '2')).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining('There is no alert with this id.'),
  })
  for (const hours of ['0', '721', 'all'])
    expect((await alerts('mute', 'alert_0i3mxhytq73', '--hours', hours)).code).toBe(2)
  expect((await alerts('mute', 'alert_0i3mxhytq73')).code).toBe(2)
  expect((await alerts('list', '--state', 'some')).code).toBe(2)
})
