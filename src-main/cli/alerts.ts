import { type Command, Option } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { type Alert, AlertQuery } from '#shared/model/alert.ts'
import { type CommonOptions, runsWith } from './options.ts'
import { CommandFailed, print, printable, printLine, say } from './output.ts'
import { callService } from './service-client.ts'

export function addAlerts(program: Command): void {
  const alerts = program.command('alerts').description('List and mute the alerts of the running service.')
  const list = alerts
    .command('list')
    .description('List alerts, newest first.')
    .addOption(new Option('--state <state>', 'open by default').choices(states.options))
    .option('--fail', 'exit with 1 if any is open')
  runsWith(list, { state: states.default('open'), fail: z.boolean().default(false) }, listAlerts)
  const mute = alerts
    .command('mute')
    .description('Tell nobody of an open alert for some hours.')
    .argument('<id>', 'id of the alert')
    .requiredOption('--hours <n>', 'for how many hours, 1 to 720')
  runsWith(mute, { hours: Hours }, muteAlert)
}

const states = AlertQuery.shape.state.unwrap()
const Hours = z
  .string()
  .regex(/^([1-9]\d?|[1-6]\d\d|7[01]\d|720)$/, 'Write a number from 1 to 720.')
  .transform(Number)

type ListOptions = CommonOptions & { readonly state: Alert['state'] | 'all'; readonly fail: boolean }

async function listAlerts({ data, json, state, fail }: ListOptions): Promise<void> {
  const alerts = await callService(data, contract.alerts.list, { state })
  if (json) printLine(alerts)
  else if (alerts.length === 0) say(state === 'open' ? 'No alert is open.' : 'There are no alerts.')
  else for (const alert of alerts) print(lineOf(alert))
  if (fail && alerts.some(alert => alert.state === 'open')) throw new CommandFailed()
}

async function muteAlert({ data, json, hours }: CommonOptions & { readonly hours: number }, alertId = '') {
  const alert = await callService(data, contract.alerts.mute, { alertId, hours })
  if (json) printLine(alert)
  else say(`${alertId} is muted until ${alert.mutedUntil}.`)
}

function lineOf({ alertId, state, openedAt, muted, message }: Alert): string {
  const words = [alertId, muted ? 'muted' : state, openedAt, message]
  return words.map(printable).join('  ')
}
