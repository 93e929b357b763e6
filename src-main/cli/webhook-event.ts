import { type Command, Option } from 'commander'
import { z } from 'zod'
import { exampleFields, webhookEvent } from '#shared/platform/webhook-events.ts'
import { TimeText } from '#shared/time.ts'
import { isGiven, refuseUsage } from './options.ts'

const Utc = TimeText.transform(ms => new Date(ms).toISOString())
const Text = z.string()

/** The fields of the platform's webhook events, each an option of `send`. */
const fields = {
  agentId: ['--agent-id <id>', Text],
  channel: ['--channel <name>', Text],
  timestamp: ['--timestamp <time>', Utc],
  name: ['--name <text>', Text],
  email: ['--email <text>', Text],
  phone: ['--phone <text>', Text],
  customerEmail: ['--customer-email <text>', Text],
  dateTime: ['--date-time <time>', Utc],
  service: ['--service <text>', Text],
} as const

export function addWebhookFields(command: Command): Command {
  for (const [flags] of Object.values(fields))
    command.addOption(new Option(flags, 'a field of a webhook event of the platform').hideHelp())
  return command.addHelpText(
    'after',
    `
Webhook events of the platform are sent in their exact shape. Fields that you omit get example values:
  conversation.started  --agent-id --channel --timestamp  (not in "data", so an inbound endpoint forwards none of them)
  lead.captured         --name --email --phone
  appointment.booked    --customer-email --date-time --service`,
  )
}

/**
 * Returns the body of a webhook event of the platform with the fields of the command line; null for another event.
 *
 * @param now milliseconds since 1970.
 * @throws CommanderError for a field that the event does not have, or a wrong value.
 */
export function webhookBody(
  command: Command,
  eventName: string,
  hasData: boolean,
  now: number,
): string | null {
  const examples = exampleFields(eventName, now)
  const given: Record<string, string> = {}
  for (const [field, [flags, schema]] of Object.entries(fields)) {
    if (!isGiven(command, field)) continue
    const [flag = ''] = flags.split(' ')
    if (examples === null || !Object.hasOwn(examples, field))
      refuseUsage(command, `${flag}: The event ${eventName} has no such field.`)
    if (hasData) refuseUsage(command, `Give either --data or ${flag}.`)
    const parsed = schema.safeParse(command.getOptionValue(field))
    given[field] = parsed.success
      ? parsed.data
      : refuseUsage(command, `${flag}: ${parsed.error.issues[0]?.message}`)
  }
  if (examples === null || hasData) return null
  const event = webhookEvent(eventName, { ...examples, ...given })
  if (event.success) return JSON.stringify(event.data)
  const [issue] = event.error.issues
  return refuseUsage(command, `${String(issue?.path.at(-1))}: ${issue?.message}`)
}
