import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf, runCli as runProcess } from '../support/cli-process.ts'
import { serve, sharedService, temporaryFolder } from '../support/cli-service.ts'

const shared = sharedService()

const agent = (args: readonly string[], stdin = '') =>
  runCli(['agent', ...args, '--data', shared().data], { stdin })
const agentJson = async (args: readonly string[], stdin = '') =>
  jsonOf(await agent([...args, '--json'], stdin))

const voice = {
  voice: 'nova',
  responseRate: 'rapid',
  silenceTimeout: 500,
  interruptionThreshold: 200,
  language: 'en-GB',
  accent: '',
}
const crawler = {
  startUrl: 'https://shop.example/',
  includePatterns: ['/help/*'],
  excludePatterns: ['*/print'],
  maxDepth: 2,
  maxPages: 10,
}

test('saves a shape from a file in a process of its own, and prints it', async () => {
  const file = join(temporaryFolder(), 'voice.json')
  writeFileSync(file, JSON.stringify(voice))
  const args = ['agent', 'set', 'voice', file, '--agent', 'one', '--data', shared().data, '--json']
  expect(jsonOf(await runProcess(args))).toEqual(voice)
  expect(await agentJson(['get', 'voice', '--agent', 'one'])).toEqual(voice)
  expect(JSON.parse((await agent(['get', 'voice', '--agent', 'one'])).stdout)).toEqual(voice)
  expect(await agentJson(['get', 'voice', '--agent', 'other'])).not.toEqual(voice)
})

test('validates without saving, and names each problem', async () => {
  const good = await agent(['validate', 'voice', '-'], JSON.stringify(voice))
  expect(good).toEqual({ code: 0, stdout: 'The shape is valid.\n', stderr: '' })
  const bad = await agent(['validate', 'voice', '-'], '{"silenceTimeout": 1, "pich": 2}')
  expect(bad).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'pich: There is no field `pich` here.\nsilenceTimeout: This must be a whole number of milliseconds from 100 to 60,000.\n',
  })
  expect(await agent(['set', 'voice', '-', '--agent', 'none'], '{')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('invalid_input: The file is not valid JSON'),
  })
  expect(await agent(['set', 'text-responses', '-', '--agent', 'none'], '{}')).toMatchObject({ code: 1 })
  expect(await agent(['get', 'vioce'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no shape'),
  })
})

test('moves an agent by export and import, unknown fields included', async () => {
  const document = {
    version: 1,
    agentId: 'two',
    voice: { ...voice, pitch: 2 },
    'text-responses': [{ key: 'a', text: 'Hello {name}' }],
  }
  const text = JSON.stringify(document)
  const tried = await agent(['import', '-', '--dry-run'], text)
  expect(tried.stdout).toBe('Would import voice, text-responses into the agent two.\n')
  expect(await agentJson(['list'])).not.toContainEqual(expect.objectContaining({ agentId: 'two' }))
  const imported = await agent(['import', '-'], text)
  expect(imported.stderr).toMatch(/^stdin:1:\d+: warning: There is no field `pitch` here\./)
  expect(await agentJson(['export', '--agent', 'two'])).toEqual(document)
  expect(await agentJson(['list'])).toContainEqual(
    expect.objectContaining({
      agentId: 'two',
      shapes: ['voice', 'text-responses'],
      unknownFields: ['voice.pitch'],
    }),
  )
  expect((await agent(['list'])).stdout).toContain('default  two  voice, text-responses  (1 unknown field)')
  expect(await agentJson(['delete', 'voice', '--agent', 'two'])).toEqual({ deleted: 1 })
  expect(await agentJson(['export', '--agent', 'two'])).not.toHaveProperty('voice')
  const wrong = await agent(['import', '-'], '{"voice": {"silenceTimeout": 1}}')
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('voice.silenceTimeout') })
})

test('tries the saved shapes', async () => {
  const of = ['--agent', 'three']
  await agent(['set', 'crawler', '-', ...of], JSON.stringify(crawler))
  await agent(
    ['set', 'calendar', '-', ...of],
    '{"workingHours": {"thursday": {"start": "11:00", "end": "12:00"}}, "maxAdvanceBooking": 3650}',
  )
  await agent(
    ['set', 'text-responses', '-', ...of],
    '[{"key": "late", "text": "Sorry {name}, {order} is late."}]',
  )
  const urls = ['https://shop.example/help/a', 'https://shop.example/help/a/print', 'https://b.example/']
  expect((await agent(['try', 'crawler-patterns', ...urls, ...of])).stdout.split('\n')).toEqual([
    'read  https://shop.example/help/a  /help/*',
    'left out  https://shop.example/help/a/print  */print',
    'left out  https://b.example/  other host',
    '',
  ])
  const day = nextThursday()
  const slots = ['try', 'slots', '--date', day, '--time-zone', 'UTC', ...of]
  expect((await agent([...slots, '--taken', `${day}T11:00:00Z/${day}T11:30:00Z`])).stdout).toBe(
    `${day}T11:30:00+00:00  ${day}T12:00:00+00:00\n`,
  )
  expect(await agentJson(slots)).toMatchObject({ slots: [{}, {}] })
  expect((await agent(['try', 'keyword', 'please STOP it', ...of])).stdout).toMatch(/^STOP {2}sms {2}/)
  expect(await agent(['try', 'text-response', 'late', '--variable', 'name=Maya', ...of])).toEqual({
    code: 0,
    stdout: 'Sorry Maya, {order} is late.\n',
    stderr: 'No value: order\n',
  })
})

test('deletes a whole agent with its files', async () => {
  const of = ['--agent', 'five']
  const file = join(temporaryFolder(), 'hours.txt')
  writeFileSync(file, 'We answer from 9 to 17.')
  await agent(['set', 'voice', '-', ...of], JSON.stringify(voice))
  await runCli(['knowledge', 'add', file, ...of, '--data', shared().data])
  expect(await agentJson(['list'])).toContainEqual(expect.objectContaining({ agentId: 'five', files: 1 }))
  for (const args of [['delete'], ['delete', 'voice', '--all']])
    expect(await agent([...args, ...of])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name a shape, or write --all'),
    })
  expect((await agent(['delete', '--all', ...of])).stdout).toBe('Deleted the agent five.\n')
  expect(await agentJson(['list'])).not.toContainEqual(expect.objectContaining({ agentId: 'five' }))
  expect(await agentJson(['delete', '--all', ...of])).toEqual({ deleted: 0 })
  expect((await agent(['delete', '--all', ...of])).stdout).toBe('There was nothing to delete.\n')
})

test('comes out of a backup', async () => {
  const folder = temporaryFolder()
  const [file, data] = [join(folder, 'backup.tgz'), join(folder, 'data')]
  await agent(['set', 'voice', '-', '--agent', 'four'], JSON.stringify(voice))
  expect((await runCli(['backup', file, '--data', shared().data])).code).toBe(0)
  expect((await runCli(['restore', file, '--data', data])).code).toBe(0)
  await serve(data)
  const restored = await runCli(['agent', 'get', 'voice', '--agent', 'four', '--data', data, '--json'])
  expect(jsonOf(restored)).toEqual(voice)
})

/** YYYY-MM-DD, more than a day ahead. */
function nextThursday(): string {
  const date = new Date(Date.now() + 2 * 86_400_000)
  while (date.getUTCDay() !== 4) date.setUTCDate(date.getUTCDate() + 1)
  return date.toISOString().slice(0, 10)
}
