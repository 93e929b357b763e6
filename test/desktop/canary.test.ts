import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { safe } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { expect, onTestFinished, test } from 'vitest'
import { ServiceFacts } from '#main/storage/service-facts.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere, filesBelow } from '../support/leaks.ts'
import { readingProcedures } from '../support/reading-procedures.ts'
import { postInbound } from '../support/service-fixture.ts'
import { asElectronPort, launchApp, newFolder } from './app-fixture.ts'

/** Files that hold a secret for a reason. */
const onPurpose = ['admin-token', 'service.json', 'backup.tar.gz']
const variables = {
  SETTINGS_KEY: 'settings-canary-4711+x',
  PROCESS_KEY: 'process-canary-4713+x',
  UNUSED_KEY: 'Bearer unused-canary-4714',
}
/** The value of a variable that this action does not use, as the external system receives it. */
const unusedCredential = 'unused-canary-4714'

test('shows no secret in the window, the tray, a notification, a dialog, the log or a file', async () => {
  const home = await newFolder()
  const app = await launchApp({ options: { home, env: { PROCESS_KEY: variables.PROCESS_KEY } } })
  await app.started
  const { electron, dataFolder, log } = app
  const client = app.client()
  const answers: string[] = []
  const ask = async (result: Promise<unknown>) => answers.push(JSON.stringify(await safe(result)))

  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const { mainFrame } = app.window().webContents
  electron.connect({ senderFrame: mainFrame, ports: [asElectronPort(port2)] })
  const link = new RPCLink({ port: port1 })
  port1.start()
  const call = (path: string, input: object) => ask(link.call(path.split('/'), input, { context: {} }))

  const { connectionId, credentials } = await client.connections.create({ name: 'Shop' })
  const secrets = new Map<string, string>([
    ['signing secret', credentials.signingSecret],
    ['inbound token', credentials.inboundToken],
    ...Object.entries(variables),
    ['credential after Bearer', unusedCredential],
  ])

  electron.saveTo = join(home, 'backup.tar.gz')
  await ask(client.desktop.update({ notifyRejected: true, launchAtLogin: true, dashboardOnTcp: true }))
  secrets.set('admin token', (await readFile(join(dataFolder, 'admin-token'), 'utf8')).trim())
  const { token } = ServiceFacts.parse(JSON.parse(await readFile(join(dataFolder, 'service.json'), 'utf8')))
  secrets.set('token of the socket', token)
  await ask(client.desktop.saveBackup({}))
  await ask(client.desktop.openDataFolder({}))
  await ask(client.desktop.openExternal({ url: 'https://example.com/' }))

  // One that sends back what it got.
  const system = await startExternalSystem(({ headers }, response) => {
    response.end(JSON.stringify({ got: [headers['x-one'], headers['x-two'], unusedCredential] }))
  })
  for (const name of ['SETTINGS_KEY', 'UNUSED_KEY'] as const)
    await ask(client.environment.set({ name, value: variables[name] }))
  await ask(client.connections.update({ connectionId, baseUrl: system.url, persistEvents: true }))
  const { actionId } = await client.actions.create({
    connectionId,
    ...{ name: 'Look up', description: 'When asked.', method: 'GET', path: '/x' },
    headers: { 'X-One': '{{SETTINGS_KEY}}', 'X-Two': '{{PROCESS_KEY}}' },
  })
  await ask(client.actions.test({ connectionId, actionId, arguments: {} }))
  expect(system.requests[0]?.headers).toMatchObject({
    'x-one': variables.SETTINGS_KEY,
    'x-two': variables.PROCESS_KEY,
  })

  const live = await client.live.follow({})
  const items = await client.activity.live({ connectionId })
  const body = '{"event":"order.created"}'
  expect(await postInbound(credentials, body)).toMatchObject({ status: 200 })
  for (const signingSecret of ['whsec_wrong', credentials.signingSecret.slice(6), credentials.inboundToken])
    await postInbound({ ...credentials, signingSecret }, body)
  await postInbound({ ...credentials, inboundUrl: `${credentials.inboundUrl}/` }, body)
  await expect.poll(() => electron.notifications).toHaveLength(1)
  // A refusal is told of once its diagnosis is made, in another thread: the second notice is of the other two.
  let diagnosed = 0
  for await (const item of items) {
    answers.push(JSON.stringify(item))
    if (item.type === 'event.diagnosed' && ++diagnosed === 3) break
  }
  for await (const message of live) {
    answers.push(JSON.stringify(message))
    if (message.type === 'activity.changed') break
  }
  app.timers.find(({ ms }) => ms === 60_000)?.fire()
  await expect.poll(() => electron.notifications).toHaveLength(2)

  for (const path of [...readingProcedures(), 'desktop/get']) await call(path, { connectionId, actionId })
  await call('connections/update', { connectionId, name: [credentials.signingSecret] })
  await call('desktop/openExternal', { url: `file:///${credentials.inboundToken}` })
  await call('nope', {})
  for (const { label, click } of electron.trays[0]?.menu ?? []) if (label?.startsWith('Copy')) click?.()

  const { menu: _menu, ...tray } = electron.trays[0] ?? { menu: [] }
  const { calls, notifications, dialogs, clipboard, opened, loginItem } = electron
  const seen = () => JSON.stringify({ tray, calls, notifications, dialogs, clipboard, opened, loginItem })
  const places = new Map([
    ['desktop', seen()],
    ...(await filesBelow(home, ...onPurpose)),
    ...(await filesBelow(dataFolder, ...onPurpose)),
  ])
  expect(await app.quit()).toBe(0)
  for (const [name, content] of await filesBelow(dataFolder, ...onPurpose))
    places.set(`${name}, stopped`, content)
  places.set('window', answers.join('\n'))
  places.set('desktop, stopped', seen())
  places.set('log', log.text())

  expect(places.get('window')).toContain('••••')
  expect(places.get('window')).toContain('"event.rejected"')
  expect(places.get('desktop')).toContain('requests refused')
  expect(places.get('desktop')).toContain('http://127.0.0.1')
  expect(places.get('log')).toContain('invalid_signature')
  expect([...places.keys()]).toEqual(expect.arrayContaining(['desktop.json', 'custom-connection.desktop']))
  expectNowhere(secrets, places)
})
