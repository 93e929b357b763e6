import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type ActionRecord,
  agentKey,
  type CaseRecord,
  type Config,
  type ConnectionRecord,
} from '#main/storage/config.ts'
import { filePartsOf, headOf } from '#main/storage/local/config-file.ts'
import { createSealedTexts } from '#main/storage/local/sealed-texts.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { ClientToken, NewClientToken } from '#shared/model/assistant.ts'
import { defaultShapes } from '#shared/model/platform/agent.ts'
import { Workflow } from '#shared/model/workflow.ts'

export const now = Date.parse('2026-11-21T09:30:00.000Z')
const moment = new Date(now).toISOString()

/** A new folder of this test alone, removed with all in it when the test has finished. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-store-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const keyNamed = (name: string) => createHash('sha256').update(name).digest()
export const sealer = createSealer(keyNamed('test'))

/** Returns the file of a configuration, as parsed JSON. */
export function fileOf(config: Config, texts = createSealedTexts(sealer), journal = 0) {
  const parts = filePartsOf(config, texts).map(({ name, records }) => [
    name,
    Array.from(records, ({ toEntry }) => toEntry()),
  ])
  return JSON.parse(JSON.stringify({ ...headOf(config, journal), ...Object.fromEntries(parts) }))
}

/** Texts that are found in no file unless a credential is written in plain. */
export const canaries = [
  'token-canary-4711',
  'whsec_canary-4712',
  'whsec_canary-before-4713',
  'environment-canary-4714',
  'sender-canary-4715',
  'sender-canary-before-4716',
  'verify-canary-4717',
]

export function exampleAction(id: string, changes: Partial<ActionRecord> = {}): ActionRecord {
  return {
    actionId: `act_${id}`,
    name: 'Look up an order',
    toolName: `look_up_${id}`,
    description: 'Use it when somebody asks where an order is.',
    method: 'GET',
    path: '/orders?expand=lines',
    headers: { Authorization: 'Bearer {{SHOP_KEY}}', 'X-Café': 'é' },
    parameters: [{ name: 'order_id', type: 'string', description: 'The order', required: true }],
    responseMapping: { state: 'order.state' },
    isEnabled: true,
    createdAt: moment,
    updatedAt: moment,
    ...changes,
  }
}

export function exampleConnection(id: string, changes: Partial<ConnectionRecord> = {}): ConnectionRecord {
  return {
    connectionId: id,
    workspaceId: 'default',
    name: `Connection ${id}`,
    slug: 'connection',
    baseUrl: 'https://api.example.com/v2',
    persistEvents: true,
    enabled: true,
    timeoutMs: 30_000,
    retention: { maxEvents: 10_000, maxDays: 30 },
    ignoreRepeats: false,
    sender: { scheme: 'github', eventName: { header: 'x-github-event' }, data: 'body' },
    inboundToken: `token-canary-4711-${id}`,
    signingSecret: `whsec_canary-4712-${id}`,
    oldSecrets: [{ secret: `whsec_canary-before-4713-${id}`, expiresAt: now + 3_600_000 }],
    senderSecret: `sender-canary-4715-${id}`,
    oldSenderSecrets: [{ secret: `sender-canary-before-4716-${id}`, expiresAt: now + 3_600_000 }],
    verifyToken: `verify-canary-4717-${id}`,
    activation: { answeredAt: moment, openUrl: 'https://sender.example/validate' },
    actions: [exampleAction('1')],
    eventTypes: [
      {
        eventTypeId: 'evtype_1',
        eventName: 'order.créée \ud83d\ude00',
        label: 'An order',
        samplePayload: JSON.parse('{"__proto__": {"polluted": true}, "lines": [{"sku": "a\\u0000b"}]}'),
        sampleText: null,
        createdAt: moment,
        updatedAt: moment,
      },
    ],
    createdAt: moment,
    updatedAt: moment,
    ...changes,
  }
}

/** The same from before senders had schemes. */
export function earlierConnection(id: string, changes: Partial<ConnectionRecord> = {}): ConnectionRecord {
  const {
    sender: _,
    senderSecret: _secret,
    oldSenderSecrets: _old,
    verifyToken: _verifyToken,
    activation: _activation,
    ...earlier
  } = exampleConnection(id, changes)
  return earlier
}

/** The configuration with these connections added or replaced. */
export function withConnections(config: Config, ...records: ConnectionRecord[]): Config {
  const connections = new Map(config.connections)
  for (const record of records) connections.set(record.connectionId, record)
  return { ...config, connections }
}

export function exampleCase(): CaseRecord {
  const fields = [{ path: 'total', rule: 'equals' as const, valueText: '12345678901234567890.10' }]
  return {
    ...{ caseId: 'case_1', connectionId: 'conn_1', actionId: 'act_1', name: 'A case' },
    ...{ argumentsText: '{"order_id":"A-1"}', expect: { status: 200, fields } },
    ...{ createdAt: moment, updatedAt: moment },
  }
}

/** Returns a configuration with something in each of its parts. */
export function withOneOfEach(config: Config): Config {
  const times = { createdAt: moment, updatedAt: moment }
  const steps = [{ key: 'tell', type: 'notify', message: '{{order_id}}' }]
  const workflow = Workflow.parse({
    ...{ ...times, workflowId: 'wf_1', workspaceId: 'default', name: 'W', steps },
    trigger: { type: 'external.event' },
  })
  const token = ClientToken.parse({
    ...NewClientToken.parse({ name: 'Laptop' }),
    ...{ ...times, tokenId: 'tok_1', lastUsedAt: null },
  })
  const agent = { ...times, workspaceId: 'default', agentId: 'a', unknown: [{ path: ['x'], value: [{}] }] }
  const held = { record: exampleConnection('conn_2'), deletedAt: now, place: 1, purging: true }
  return {
    ...withVariable(withConnections(config, exampleConnection('conn_1')), 'SHOP_KEY', 'x'),
    listener: { host: '127.0.0.1', port: 1 },
    metricsToken: { digest: keyNamed('metrics').toString('hex'), setAt: moment },
    cases: new Map([['case_1', exampleCase()]]),
    workflows: new Map([['wf_1', workflow]]),
    clientTokens: new Map([['tok_1', { ...token, digest: keyNamed('token').toString('hex') }]]),
    agents: new Map([[agentKey(agent), { ...agent, shapes: defaultShapes('a') }]]),
    held: new Map([['conn_2', held]]),
  }
}

export function withVariable(config: Config, name: string, value: string): Config {
  return { ...config, environment: new Map(config.environment).set(name, value) }
}

export function withBodyLimit(config: Config, maxBodyBytes: number): Config {
  return { ...config, settings: { ...config.settings, maxBodyBytes } }
}

/** Each file of the folder: its name, content and permission bits. */
export async function filesIn(folder: string) {
  const names = (await readdir(folder)).sort()
  return Promise.all(
    names.map(async name => {
      const path = join(folder, name)
      return { name, bytes: await readFile(path), mode: (await stat(path)).mode & 0o777 }
    }),
  )
}
