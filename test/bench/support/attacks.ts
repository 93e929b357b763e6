import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { z } from 'zod'
import { docx, wordXml } from '../../support/docx.ts'
import { largeImports } from './large-imports.ts'

export type Target = {
  readonly inboundUrl: string
  readonly secret: string
  readonly dashboardUrl: string
  readonly adminToken: string
  readonly connectionId: string
}

/** Attacks until its process is ended. Each opens a bounded number of connections and waits for each answer. */
export type Attack = (target: Target) => void | Promise<void>

const kibibyte = 1024
const Answer = z.looseObject({
  actionId: z.string().optional(),
  connectionId: z.string().optional(),
  workflowId: z.string().optional(),
})
const Credentials = z.object({ inboundUrl: z.string() })
const Counts = z.object({ queued: z.int(), running: z.int() })

/** Bytes over one connection to a URL, opened again whenever it closes; `bytes` makes them each time. */
function repeatOver(url: string, bytes: () => Buffer, onOpen?: (socket: Socket) => void): void {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const write = () => {
    while (!socket.destroyed && socket.write(bytes()));
  }
  socket.on('connect', () => (onOpen === undefined ? write() : onOpen(socket)))
  socket.on('drain', write)
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(() => repeatOver(url, bytes, onOpen), 20))
  socket.resume()
}

function head(url: string, lines: readonly string[]): string {
  const { host, pathname } = new URL(url)
  return `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`
}

function signed(secret: string, body: string): string[] {
  const timestamp = String(Date.now())
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return [`x-service-timestamp: ${timestamp}`, `x-service-signature: sha256=${digest}`]
}

const forged = () => [`x-service-timestamp: ${Date.now()}`, `x-service-signature: sha256=${'0'.repeat(64)}`]
const singleBytes = '1\r\nx\r\n'.repeat(512 * kibibyte)

/** One request at a time over one connection, each made when the one before was answered. */
function oneByOne(url: string, makeRequest: () => string): void {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('connect', () => socket.write(makeRequest()))
  socket.on('data', () => socket.write(makeRequest()))
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(() => oneByOne(url, makeRequest), 20))
}

async function rest({ dashboardUrl, adminToken }: Target, method: string, path: string, body?: object) {
  const response = await fetch(`${dashboardUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return Answer.parse(await response.json())
}

/** Previews one document again and again. */
function previewForever(target: Target, text: string): void {
  const body = JSON.stringify({ text })
  const headers = { authorization: `Bearer ${target.adminToken}`, 'content-type': 'application/json' }
  void forever(async () => {
    const url = `${target.dashboardUrl}/api/v1/import/preview`
    await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer()
  })
}

async function forever(act: () => Promise<unknown>): Promise<void> {
  for (;;) await act().catch(() => new Promise(resolve => setTimeout(resolve, 20)))
}

async function post({ inboundUrl, secret }: Target, body: string): Promise<void> {
  const [timestamp = '', signature = ''] = signed(secret, body).map(line => line.slice(line.indexOf(' ') + 1))
  const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature }
  await (await fetch(inboundUrl, { method: 'POST', headers, body })).text()
}

/** The data of an event of nearly 1 MiB with 60,000 fields; with 35,000 it fits into a field of a form. */
function manyFields(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'text']))
}

/** Adds a connection that takes forms as GitHub signs them. Returns its id and a function that posts a form. */
async function addFormSender(target: Target) {
  const github = { name: 'Forms', persistEvents: true, sender: { scheme: 'github' } }
  const { connectionId = '' } = await rest(target, 'POST', '/connections', github)
  const secret = 'secret-of-the-forms'
  await rest(target, 'PUT', `/connections/${connectionId}/sender/secret`, { secret })
  const credentials = await rest(target, 'GET', `/connections/${connectionId}/credentials`)
  const { inboundUrl } = Credentials.parse(credentials)
  return {
    connectionId,
    async post(body: string) {
      const digest = createHmac('sha256', secret).update(body).digest('hex')
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'x-github-event': 'form',
        'x-hub-signature-256': `sha256=${digest}`,
      }
      await (await fetch(inboundUrl, { method: 'POST', headers, body })).text()
    },
  }
}

/** Adds a connection whose sender signs with an RSA key of 2,048 bits. Returns its URL. */
async function addRsaSender(target: Target, template: object): Promise<string> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const common = { publicKey: pem, eventName: { path: 'event' }, data: 'body' }
  const sender = { scheme: 'template', ...common, ...template }
  const { connectionId } = await rest(target, 'POST', '/connections', { name: 'Keys', sender })
  return Credentials.parse(await rest(target, 'GET', `/connections/${connectionId}/credentials`)).inboundUrl
}

/** 2,000 requests a second over 8 connections, whatever their answers. */
function sendSteadily(url: string, makeRequest: () => string): void {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 8 }, () =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .resume(),
  )
  const [begun, perMs] = [performance.now(), 2]
  let sent = 0
  setInterval(() => {
    for (const due = (performance.now() - begun) * perMs; sent < due; sent++)
      sockets[sent % sockets.length]?.write(makeRequest())
  }, 5)
}

const forgedBody = '{"event":"forged"}'
const lengthOf = (body: string) => `Content-Length: ${body.length}`
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const branch = (key: string, when: object) => ({ key, type: 'branch', cases: [{ when, steps: [] }] })
const each = (key: string, steps: object[]) => ({ key, type: 'each', items: '{{lines}}', steps })

/** Steps that compute for minutes on the event below, each kind in another way. */
const heavySteps = {
  'heavy.search': [
    // Longer than what engines search for in linear time.
    each('a', [
      each('b', [branch('c', { value: '{{text}}', operator: 'contains', operand: `${'a'.repeat(50)}b` })]),
    ]),
  ],
  'heavy.list': [
    each('a', [each('b', [branch('c', { value: '{{list}}', operator: 'contains', operand: 'x' })])]),
  ],
  'heavy.empty': [
    each('a', [
      each('b', [
        branch('c', { any: Array(19).fill({ any: Array(50).fill({ value: '', operator: 'exists' }) }) }),
      ]),
    ]),
  ],
}
const heavyEvent = (event: string) => {
  const lines = Array(100).fill(1)
  const filler =
    event === 'heavy.list' ? { list: Array(90_000).fill('aaaaaaa') } : { text: 'a'.repeat(900_000) }
  return JSON.stringify({ event, data: { lines, ...(event === 'heavy.empty' ? {} : filler) } })
}

/** Bodies that save a workflow. The service takes the last three, which are near its limits. The others are refused. */
function largeWorkflows(): object[] {
  const conditions = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      branch(`s${index}`, {
        any: Array(19).fill({ any: Array(50).fill({ value: '', operator: 'exists' }) }),
      }),
    )
  const call = { type: 'action', connectionId: 'conn_none', toolName: 'none' }
  const templates = Array.from({ length: 16 }, (_, index) => ({
    ...{ ...call, key: `s${index}`, arguments: { text: `{{a${index}}} ${'x'.repeat(90)}`.repeat(300) } },
  }))
  const notes = Array.from({ length: 100 }, (_, index) => ({
    ...{ key: `s${index}`, type: 'notify', message: `{{a${index}}}`.repeat(49).padEnd(5000) },
  }))
  const variables = templates.map(step => ({ ...step, arguments: { text: '{{a}}'.repeat(12_000) } }))
  return [conditions(400), conditions(30), conditions(2), variables, conditions(1), templates, notes]
}

const hostileDocuments = [
  JSON.stringify({ actions: [{ name: 'x', description: 'x', path: '{x'.repeat(200 * kibibyte) }] }),
  `[${',1.0000000000000000000000000001'.repeat(12 * kibibyte)}]`,
  `{"actions":[${'{},'.repeat(300 * kibibyte)}{}]}`,
  `openapi: 3.0.0\npaths: ${'[,'.repeat(150 * kibibyte)}`,
  `openapi: 3.0.0\npaths: [${'[],'.repeat(100 * kibibyte)}]`,
]

/** Adds a file to the knowledge of an agent. */
async function addFile({ dashboardUrl, adminToken }: Target, name: string, body: Buffer<ArrayBuffer>) {
  const response = await fetch(`${dashboardUrl}/api/v1/platform/knowledge?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}` },
    body,
  })
  await response.arrayBuffer()
}

const words = 'a by cat deer eagle fox goose heron ibis jay kite lark mole newt owl pig '

/** Files that are small or simple, and take long to read. */
function hostileFiles(): (readonly [name: string, bytes: Buffer<ArrayBuffer>])[] {
  const attributes = Array.from({ length: 500_000 }, (_, number) => `a${number}=""`).join(' ')
  const table = '<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc/></w:tr></w:tbl>'
  const files = {
    'attributes.docx': docx(wordXml(`<w:p ${attributes}/>`)),
    'tags.docx': docx(wordXml('<w:p/>'.repeat(3_000_000))),
    'tables.docx': docx(wordXml('<w:tbl><w:tr><w:tc>'.repeat(18) + table.repeat(100_000))),
    'bomb.docx': docx(Buffer.alloc(100 * 1024 * kibibyte)),
    'columns.csv': `${'a,'.repeat(1_000_000)}\n`.repeat(4),
    'quotes.csv': '"x" "'.repeat(2_000_000),
    'line.txt': words.repeat(200_000),
    'letters.txt': Buffer.alloc(8 * 1024 * kibibyte, 0xe9),
  }
  return Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)])
}

export const attacks: Record<string, { readonly title: string; readonly run: Attack }> = {
  'chunks-stranger': {
    title: 'bodies in chunks of 1 byte, without a token',
    run: ({ inboundUrl }) => {
      const url = new URL('/api/connect/nobody/events', inboundUrl).href
      const bytes = Buffer.from(head(url, ['Transfer-Encoding: chunked']) + singleBytes)
      for (let count = 0; count < 8; count++) repeatOver(url, () => bytes)
    },
  },
  'chunks-token': {
    title: 'bodies in chunks of 1 byte, with a token and a forged signature',
    run: ({ inboundUrl }) => {
      for (let count = 0; count < 8; count++)
        repeatOver(inboundUrl, () =>
          Buffer.from(
            `${head(inboundUrl, ['Transfer-Encoding: chunked', ...forged()])}${singleBytes}0\r\n\r\n`,
          ),
        )
    },
  },
  numbers: {
    title: 'signed events of 1 MiB that hold 1.000…0001',
    run: ({ inboundUrl, secret }) => {
      const body = `{"event":"numbers","data":{"n":1.${'0'.repeat(kibibyte * 1023)}1}}`
      oneByOne(
        inboundUrl,
        () => head(inboundUrl, [`Content-Length: ${body.length}`, ...signed(secret, body)]) + body,
      )
    },
  },
  flood: {
    title: 'a flood of unsigned requests, pipelined over 16 connections',
    run: ({ inboundUrl }) => {
      const body = '{"event":"flood"}'
      const bytes = Buffer.from((head(inboundUrl, [`Content-Length: ${body.length}`]) + body).repeat(64))
      for (let count = 0; count < 16; count++) repeatOver(inboundUrl, () => bytes)
    },
  },
  rsa: {
    title: 'forged RSA signatures, 2,000 a second',
    async run(target) {
      const url = await addRsaSender(target, {
        ...{ verify: 'rsa', algorithm: 'sha256', encoding: 'base64', signed: '{{timestamp}}.{{body}}' },
        ...{ signature: { header: 'x-signature' }, timestamp: { header: 'x-time' }, timestampUnit: 'ms' },
      })
      sendSteadily(url, () => {
        const proof = [`x-time: ${Date.now()}`, `x-signature: ${randomBytes(256).toString('base64')}`]
        return head(url, [...proof, lengthOf(forgedBody)]) + forgedBody
      })
    },
  },
  jwt: {
    title: 'forged tokens signed with RSA, 2,000 a second',
    async run(target) {
      const url = await addRsaSender(target, {
        verify: 'jwt',
        jwt: { header: 'authorization', algorithm: 'RS256' },
      })
      sendSteadily(url, () => {
        const claims = base64url({ iat: Math.floor(Date.now() / 1000) })
        const token = `${base64url({ alg: 'RS256' })}.${claims}.${randomBytes(256).toString('base64url')}`
        return head(url, [`authorization: Bearer ${token}`, lengthOf(forgedBody)]) + forgedBody
      })
    },
  },
  answers: {
    title: 'ten calls at a time to a system that answers in chunks of 1 byte',
    async run(target) {
      const system = createServer((_request, response) => {
        response.writeHead(200)
        response.flushHeaders()
        response.socket?.write(singleBytes)
        response.socket?.end('0\r\n\r\n')
      })
      const port = await new Promise<number>(resolve => {
        system.listen(0, '127.0.0.1', () => {
          const address = system.address()
          resolve(typeof address === 'object' && address !== null ? address.port : 0)
        })
      })
      const of = `/connections/${target.connectionId}`
      await rest(target, 'PATCH', of, { baseUrl: `http://127.0.0.1:${port}` })
      const toolName = `drip_${process.pid}`
      const fields = { name: 'Drip', toolName, description: 'x', method: 'GET', path: '/', parameters: [] }
      const action = await rest(target, 'POST', `${of}/actions`, fields)
      for (let count = 0; count < 10; count++)
        void forever(() => rest(target, 'POST', `${of}/actions/${action.actionId}/test`, { arguments: {} }))
    },
  },
  imports: {
    title: 'imports of hostile documents over REST, two at a time',
    run: target => {
      let next = 0
      for (let count = 0; count < 2; count++)
        void forever(() => {
          const text = hostileDocuments[next++ % hostileDocuments.length]
          const format = text?.startsWith('openapi') ? 'openapi' : 'document'
          return rest(target, 'POST', '/import/preview', { text, format, connectionId: target.connectionId })
        })
    },
  },
  ...Object.fromEntries(
    Object.entries(largeImports).map(([name, { title, text }]) => [
      name,
      { title, run: (target: Target) => previewForever(target, text()) },
    ]),
  ),
  'heavy-runs': {
    title: 'ten runs at a time that compute as long as they may',
    async run(target) {
      const trigger = (eventName: string) => ({ type: 'external.event', eventName })
      const events = Object.entries(heavySteps).map(([event]) => heavyEvent(event))
      for (const [event, steps] of Object.entries(heavySteps))
        await rest(target, 'POST', '/workflows', { name: event, trigger: trigger(event), steps })
      let next = 0
      void forever(async () => {
        const { queued, running } = Counts.parse(await rest(target, 'GET', '/runs/counts'))
        for (let count = queued + running; count < 10; count++)
          await post(target, events[next++ % events.length] ?? '')
        await new Promise(resolve => setTimeout(resolve, 50))
      })
    },
  },
  'large-workflows': {
    title: 'workflows of up to 13 MiB that are saved, imported and tested, two at a time',
    async run(target) {
      const trigger = { type: 'external.event', eventName: 'none' }
      const { workflowId } = await rest(target, 'POST', '/workflows', {
        name: 'Large',
        trigger,
        enabled: false,
      })
      const bodies = largeWorkflows()
      const payload = { list: Array(9_000).fill('aaaaaaa') }
      let next = 0
      for (let count = 0; count < 2; count++)
        void forever(async () => {
          const steps = bodies[next++ % bodies.length]
          await rest(target, 'PATCH', `/workflows/${workflowId}`, { steps })
          const document = {
            version: 1,
            workflow: { name: 'Large', trigger: { type: 'external.event' }, steps },
          }
          const imported = await rest(target, 'POST', '/workflows/import', document)
          const { workflowId: made } = Answer.parse(imported.workflow ?? {})
          if (made !== undefined) await rest(target, 'DELETE', `/workflows/${made}`)
          await rest(target, 'POST', `/workflows/${workflowId}/test`, { payload, dryRun: true })
        })
    },
  },
  'event-lists': {
    title: 'lists of events of 1 MiB with 60,000 fields, as JSON and as forms, two at a time',
    async run(target) {
      const data = manyFields(60_000)
      const payload = encodeURIComponent(JSON.stringify(manyFields(35_000)))
      const forms = await addFormSender(target)
      for (let count = 0; count < 10; count++) {
        await post(target, JSON.stringify({ event: 'large', data }))
        await forms.post(`n=${count}&payload=${payload}`)
      }
      const read = async (path: string) => {
        const headers = { authorization: `Bearer ${target.adminToken}` }
        await (await fetch(`${target.dashboardUrl}/api/v1${path}`, { headers })).arrayBuffer()
      }
      for (const connectionId of [target.connectionId, forms.connectionId])
        void forever(async () => {
          await read(`/connections/${connectionId}/events?limit=10`)
          await read(`/activity/list?connectionId=${connectionId}&limit=10`)
          await read(`/connections/${connectionId}/events?limit=10&text=f34999`)
        })
    },
  },
  silent: {
    title: '700 silent connections to the dashboard and 1,500 to the listener',
    run: ({ inboundUrl, dashboardUrl }) => {
      const open = (url: string) =>
        repeatOver(
          url,
          () => Buffer.alloc(0),
          () => {},
        )
      for (let count = 0; count < 700; count++) open(dashboardUrl)
      for (let count = 0; count < 1500; count++) open(inboundUrl)
    },
  },
  refused: {
    title: 'refused bodies of 255 KB whose diagnosis is expensive',
    run: ({ inboundUrl }) => {
      const body = `{"event":"x","data":{"list":[${'{"a":1.50},'.repeat(23 * kibibyte)}0]}}`.slice(0, 261_000)
      for (let count = 0; count < 4; count++)
        oneByOne(inboundUrl, () => head(inboundUrl, [`Content-Length: ${body.length}`, ...forged()]) + body)
    },
  },
  files: {
    title: 'knowledge files that take long to read, two at a time',
    run: target => {
      const files = hostileFiles()
      let next = 0
      for (let count = 0; count < 2; count++)
        void forever(async () => {
          const file = files[next++ % files.length]
          if (file !== undefined) await addFile(target, ...file)
        })
    },
  },
  forms: {
    title: 'forms of 500,000 fields, two at a time',
    run: target => {
      const part = '--B\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n'
      const body = `${part.repeat(500_000)}--B--\r\n`
      const url = `${target.dashboardUrl}/api/v1/platform/knowledge`
      const lines = [
        `Authorization: Bearer ${target.adminToken}`,
        'Content-Type: multipart/form-data; boundary=B',
        `Content-Length: ${body.length}`,
      ]
      for (let count = 0; count < 2; count++) oneByOne(url, () => head(url, lines) + body)
    },
  },
  search: {
    title: 'searches for 16 letters in 20 million characters, two at a time',
    async run(target) {
      // The first round adds the file. Adding is another attack.
      const files = await fetch(`${target.dashboardUrl}/api/v1/platform/knowledge`, {
        headers: { authorization: `Bearer ${target.adminToken}` },
      })
      if ((await files.text()) === '[]')
        await addFile(target, 'words.txt', Buffer.from(`${words}\n`.repeat(280_000)))
      const query = encodeURIComponent('a b c d e f g h i j k l m n o p')
      for (let count = 0; count < 2; count++)
        void forever(async () => {
          const url = `${target.dashboardUrl}/api/v1/platform/knowledge/search?query=${query}`
          await (
            await fetch(url, { headers: { authorization: `Bearer ${target.adminToken}` } })
          ).arrayBuffer()
        })
    },
  },
}
