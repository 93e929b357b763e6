import type { Command } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { type AgentOptions, ofAgent, withAgentOptions } from './agent-options.ts'
import { type OptionsOf, repeatable, runsWith } from './options.ts'
import { print, printable, printLine, say } from './output.ts'
import { askService, callService } from './service-client.ts'

const ofSlots = {
  ...ofAgent,
  date: z.iso.date('Write a date as in 2026-11-26.'),
  timeZone: z.string().default(Intl.DateTimeFormat().resolvedOptions().timeZone),
  length: z
    .string()
    .regex(/^\d{1,4}$/, 'Write a number of minutes.')
    .default('30')
    .transform(Number),
  taken: z
    .array(z.string())
    .default([])
    .transform(all => all.map(one => one.split('/')))
    .pipe(z.array(z.tuple([z.string(), z.string()], 'Write START/END.'))),
}
const ofText = {
  ...ofAgent,
  variable: z
    .array(z.string().regex(/^[^=]+=/, 'Write NAME=VALUE.'))
    .default([])
    .transform(all =>
      Object.fromEntries(all.map(one => [one.split('=', 1)[0] ?? '', one.replace(/^[^=]+=/, '')])),
    ),
}

/** Adds `agent try …`: the saved shapes of an agent, tried against URLs, a date or a text. */
export function addAgentTry(agent: Command): void {
  const group = agent.command('try').description('Try the saved shapes of an agent.')
  const add = (name: string, description: string) =>
    withAgentOptions(group.command(name).description(description))
  const crawler = add('crawler-patterns', 'Show which URLs the crawler reads, and which pattern decides.')
  runsWith(crawler.argument('<url...>'), ofAgent, tryCrawler)
  const slots = add('slots', 'List the free slots on a date.')
    .requiredOption('--date <date>', 'YYYY-MM-DD')
    .option('--time-zone <name>', "such as Europe/Berlin (default: this computer's)")
    .option('--length <minutes>', 'how long an appointment takes (default: 30)')
    .option('--taken <start/end>', 'an existing appointment, ISO 8601 with offset; repeatable', repeatable)
  runsWith(slots, ofSlots, trySlots)
  runsWith(add('keyword', 'List the keywords in a text.').argument('<text>'), ofAgent, tryKeyword)
  const text = add('text-response', 'Fill the variables of a text response.')
    .argument('<key-or-text>', 'key of a saved response, or a text')
    .option('--variable <name=value>', 'a variable; repeatable', repeatable)
  runsWith(text, ofText, tryTextResponse)
}

async function tryCrawler(options: AgentOptions, ...urls: string[]): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = options
  const found = await askService(data, async service => {
    const { startUrl, includePatterns, excludePatterns } = await service.call(contract.platform.crawler.get, {
      workspaceId,
      agentId,
    })
    const patterns = { startUrl, includePatterns, excludePatterns }
    return service.call(contract.platform.tryCrawlerPatterns, { ...patterns, urls })
  })
  if (json) return printLine(found)
  for (const { url, taken, rule, reason } of found.results)
    print(printable(`${taken ? 'read' : 'left out'}  ${url}  ${rule ?? reason.replaceAll('_', ' ')}`))
}

async function trySlots(options: OptionsOf<typeof ofSlots>): Promise<void> {
  const { agent: agentId, workspace: workspaceId, date, timeZone, length: lengthMinutes } = options
  const taken = options.taken.map(([start, end]) => ({ start, end }))
  const found = await askService(options.data, async service => {
    const availability = await service.call(contract.platform.calendar.get, { workspaceId, agentId })
    return service.call(contract.platform.trySlots, { availability, date, timeZone, lengthMinutes, taken })
  })
  if (options.json) return printLine(found)
  if (found.slots.length === 0) say('There are no slots on this date.')
  for (const { start, end } of found.slots) print(`${start}  ${end}`)
}

async function tryKeyword(options: AgentOptions, text: string): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = options
  const found = await callService(data, contract.platform.tryKeyword, { workspaceId, agentId, text })
  if (json) return printLine(found)
  if (found.matches.length === 0) say('The text has no keyword.')
  for (const { kind, keyword, effect } of found.matches) print(printable(`${keyword}  ${kind}  ${effect}`))
}

async function tryTextResponse(options: OptionsOf<typeof ofText>, keyOrText: string): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json, variable } = options
  const found = await askService(data, async service => {
    const saved = await service.call(contract.platform['text-responses'].get, { workspaceId, agentId })
    const text = saved.find(({ key }) => key === keyOrText)?.text ?? keyOrText
    return service.call(contract.platform.tryTextResponse, { text, variables: variable })
  })
  if (json) return printLine(found)
  print(printable(found.text))
  if (found.unknown.length > 0) say(`No value: ${found.unknown.join(', ')}`)
}
