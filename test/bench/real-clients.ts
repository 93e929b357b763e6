/**
 * Makes the same calls with the libraries of four providers and with the actions that their documents become. Both
 * requests are to be equal after parsing: method, path, query, body.
 *
 * REAL_APIS is a folder with `stripe.json`, `twilio.json`, `slack.json` and `github.json`. API_TOOLS is a folder where the
 * four libraries are installed; without it, they are installed in a new one.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { installTools } from './real-apis.ts'
import { removeFolder, startService } from './support/processes.ts'
import { connectTools } from './support/tools-of.ts'

const packages = ['stripe@23.1.0', 'twilio@6.3.1', '@slack/web-api@8.2.0', '@octokit/rest@22.0.1']

/** A method of the library by its path below the client, its arguments, the tool, and its arguments. */
type Same = readonly [method: string, given: readonly unknown[], tool: string, args: object]
/** A call whose library takes the same arguments. */
const same = (method: string, tool: string, args: object): Same => [method, [args], tool, args]

const [account, sid] = [`AC${'a'.repeat(32)}`, 'b'.repeat(32)]
const inAccount = { AccountSid: account }
const repo = { owner: 'acme', repo: 'shop' }

const stripe: readonly Same[] = [
  same('customers.create', 'post_customers', {
    ...{ name: 'Ana García', email: 'ana+1@acme.example', preferred_locales: ['en', 'de'] },
    ...{ address: { line1: '1 High St & Co', city: 'Köln' }, metadata: { order_id: 'ORD-1', 'a b': 'x=y' } },
  }),
  ['customers.retrieve', ['cus_1'], 'get_customers_customer', { customer: 'cus_1' }],
  [
    'customers.update',
    ['cus_1', { description: 'Bought twice', invoice_settings: { footer: 'Thank you' } }],
    'post_customers_customer',
    { customer: 'cus_1', description: 'Bought twice', invoice_settings: { footer: 'Thank you' } },
  ],
  ['customers.del', ['cus_1'], 'delete_customers_customer', { customer: 'cus_1' }],
  same('customers.list', 'get_customers', {
    ...{ email: 'ana@acme.example', limit: 3, created: { gte: 1700000000, lt: 1800000000 } },
    expand: ['data.default_source'],
  }),
  same('charges.create', 'post_charges', {
    ...{ amount: 1999, currency: 'eur', source: 'tok_visa', capture: false },
    shipping: { name: 'Ana', address: { line1: '1 High St', country: 'DE' } },
  }),
  [
    'charges.retrieve',
    ['ch_1', { expand: ['customer'] }],
    'get_charges_charge',
    { charge: 'ch_1', expand: ['customer'] },
  ],
  [
    'charges.capture',
    ['ch_1', { amount: 500 }],
    'post_charges_charge_capture',
    { charge: 'ch_1', amount: 500 },
  ],
  same('charges.list', 'get_charges', { customer: 'cus_1', limit: 100, starting_after: 'ch_9' }),
  same('refunds.create', 'post_refunds', { charge: 'ch_1', amount: 5, reason: 'duplicate' }),
  ['balance.retrieve', [], 'get_balance', {}],
  same('coupons.create', 'post_coupons', { duration: 'repeating', duration_in_months: 3, percent_off: 25.5 }),
  ['coupons.del', ['SUMMER 26/1'], 'delete_coupons_coupon', { coupon: 'SUMMER 26/1' }],
  same('checkout.sessions.create', 'post_checkout_sessions', {
    ...{ cancel_url: 'https://acme.example/?a=1&b=2', success_url: 'https://acme.example/ok#top' },
    ...{ payment_method_types: ['card'], mode: 'payment' },
    line_items: [
      { amount: 100, currency: 'usd', name: 'A & B', quantity: 2 },
      { amount: 250, currency: 'usd', name: 'C', quantity: 1, images: ['https://acme.example/c.png'] },
    ],
  }),
  same('paymentIntents.create', 'post_payment_intents', {
    ...{ amount: 2000, currency: 'usd', payment_method_types: ['card'] },
    metadata: { a: '1' },
  }),
  ['paymentIntents.cancel', ['pi_1'], 'post_payment_intents_intent_cancel', { intent: 'pi_1' }],
  same('products.create', 'post_products', {
    name: 'Gold plan',
    active: true,
    metadata: {},
    type: 'service',
  }),
  same('subscriptions.create', 'post_subscriptions', {
    ...{ customer: 'cus_1', items: [{ plan: 'gold', quantity: 2 }], trial_period_days: 14 },
  }),
  same('events.list', 'get_events', { types: ['charge.succeeded', 'charge.failed'], limit: 2 }),
  same('webhookEndpoints.create', 'post_webhook_endpoints', {
    ...{ url: 'https://acme.example/hook', enabled_events: ['charge.failed', '*'] },
  }),
]

const twilio: readonly Same[] = [
  [
    'messages.create',
    [
      {
        to: '+15558675310',
        from: '+15017122661',
        body: 'Grüße & more',
        mediaUrl: ['https://a.example/1', 'https://a.example/2'],
      },
    ],
    'create_message',
    {
      ...inAccount,
      To: '+15558675310',
      From: '+15017122661',
      Body: 'Grüße & more',
      MediaUrl: ['https://a.example/1', 'https://a.example/2'],
    },
  ],
  [
    'messages.page',
    [{ to: '+15558675310', pageSize: 5 }],
    'list_message',
    { ...inAccount, To: '+15558675310', PageSize: 5 },
  ],
  [`messages(SM${sid}).fetch`, [], 'fetch_message', { ...inAccount, Sid: `SM${sid}` }],
  [
    `messages(SM${sid}).update`,
    [{ body: '' }],
    'update_message',
    { ...inAccount, Sid: `SM${sid}`, Body: '' },
  ],
  [`messages(SM${sid}).remove`, [], 'delete_message', { ...inAccount, Sid: `SM${sid}` }],
  [
    'calls.create',
    [
      {
        to: '+1',
        from: '+2',
        url: 'http://a.example/?b=1&c',
        statusCallbackEvent: ['initiated', 'answered'],
        record: true,
        timeout: 20,
      },
    ],
    'create_call',
    {
      ...inAccount,
      To: '+1',
      From: '+2',
      Url: 'http://a.example/?b=1&c',
      StatusCallbackEvent: ['initiated', 'answered'],
      Record: true,
      Timeout: 20,
    },
  ],
  [
    'calls.page',
    [{ status: 'busy', pageSize: 20 }],
    'list_call',
    { ...inAccount, Status: 'busy', PageSize: 20 },
  ],
  [`calls(CA${sid}).fetch`, [], 'fetch_call', { ...inAccount, Sid: `CA${sid}` }],
  [
    `calls(CA${sid}).update`,
    [{ twiml: '<Response><Say>Ahoy there</Say></Response>' }],
    'update_call',
    { ...inAccount, Sid: `CA${sid}`, Twiml: '<Response><Say>Ahoy there</Say></Response>' },
  ],
  [`calls(CA${sid}).remove`, [], 'delete_call', { ...inAccount, Sid: `CA${sid}` }],
  [
    'queues.create',
    [{ friendlyName: 'q 1', maxSize: 9 }],
    'create_queue',
    { ...inAccount, FriendlyName: 'q 1', MaxSize: 9 },
  ],
  [
    `queues(QU${sid}).update`,
    [{ maxSize: 7 }],
    'update_queue',
    { ...inAccount, Sid: `QU${sid}`, MaxSize: 7 },
  ],
  ['queues.page', [{ pageSize: 1 }], 'list_queue', { ...inAccount, PageSize: 1 }],
  [
    'applications.create',
    [{ friendlyName: 'A+B' }],
    'create_application',
    { ...inAccount, FriendlyName: 'A+B' },
  ],
  [`applications(AP${sid}).fetch`, [], 'fetch_application', { ...inAccount, Sid: `AP${sid}` }],
  [
    `keys(SK${sid}).update`,
    [{ friendlyName: 'k' }],
    'update_key',
    { ...inAccount, Sid: `SK${sid}`, FriendlyName: 'k' },
  ],
  ['keys.page', [{ pageSize: 2 }], 'list_key', { ...inAccount, PageSize: 2 }],
  [
    `conferences(CF${sid}).update`,
    [{ status: 'completed' }],
    'update_conference',
    { ...inAccount, Sid: `CF${sid}`, Status: 'completed' },
  ],
  [`recordings(RE${sid}).remove`, [], 'delete_recording', { ...inAccount, Sid: `RE${sid}` }],
  [
    'incomingPhoneNumbers.page',
    [{ phoneNumber: '+49', pageSize: 3 }],
    'list_incoming_phone_number',
    { ...inAccount, PhoneNumber: '+49', PageSize: 3 },
  ],
]

const slack: readonly Same[] = [
  same('chat.postMessage', 'chat_post_message', { channel: 'C1', text: 'Grüße & <@U1>', unfurl_links: true }),
  same('chat.postEphemeral', 'chat_post_ephemeral', { channel: 'C1', user: 'U1', text: 'a b' }),
  same('chat.update', 'chat_update', { channel: 'C1', ts: '1405894322.002768', text: 'new' }),
  // The document says that this one is a number.
  same('chat.delete', 'chat_delete', { channel: 'C1', ts: 1405894322.002768 }),
  same('chat.meMessage', 'chat_me_message', { channel: 'C1', text: 'is here' }),
  same('chat.scheduleMessage', 'chat_schedule_message', {
    channel: 'C1',
    text: 'later',
    post_at: '299876400',
  }),
  same('chat.deleteScheduledMessage', 'chat_delete_scheduled_message', {
    channel: 'C1',
    scheduled_message_id: 'Q1',
  }),
  same('conversations.create', 'conversations_create', { name: 'new-ones', is_private: false }),
  same('conversations.invite', 'conversations_invite', { channel: 'C1', users: 'U1,U2' }),
  same('conversations.open', 'conversations_open', { users: 'U1,U2', return_im: true }),
  same('conversations.rename', 'conversations_rename', { channel: 'C1', name: 'x' }),
  same('conversations.setPurpose', 'conversations_set_purpose', { channel: 'C1', purpose: 'To talk' }),
  same('conversations.setTopic', 'conversations_set_topic', { channel: 'C1', topic: '50 % off?' }),
  same('pins.add', 'pins_add', { channel: 'C1', timestamp: '1.2' }),
  same('pins.remove', 'pins_remove', { channel: 'C1', timestamp: '1.2' }),
  same('reactions.add', 'reactions_add', { channel: 'C1', name: 'thumbsup', timestamp: '1.2' }),
  same('reactions.remove', 'reactions_remove', { channel: 'C1', name: '+1', timestamp: '1.2' }),
  same('reminders.add', 'reminders_add', { text: 'eat a banana', time: 'every Thursday' }),
  same('usergroups.create', 'usergroups_create', { name: 'Team', channels: 'C1,C2', include_count: true }),
  same('files.delete', 'files_delete', { file: 'F1' }),
]

const github: readonly Same[] = [
  same('issues.create', 'issues_create', {
    ...repo,
    title: 'It fails',
    labels: ['bug', 'a b'],
    assignees: [],
  }),
  same('issues.update', 'issues_update', { ...repo, issue_number: 7, state: 'closed', milestone: null }),
  same('issues.listForRepo', 'issues_list_for_repo', {
    ...repo,
    state: 'open',
    labels: 'a,b c',
    per_page: 5,
  }),
  same('issues.addLabels', 'issues_add_labels', { ...repo, issue_number: 7, labels: ['x/y'] }),
  same('issues.removeLabel', 'issues_remove_label', { ...repo, issue_number: 7, name: 'x/y & z' }),
  same('issues.createComment', 'issues_create_comment', { ...repo, issue_number: 7, body: 'Tak, díky 👍' }),
  same('pulls.create', 'pulls_create', { ...repo, title: 'A', head: 'a', base: 'main', draft: true }),
  same('pulls.merge', 'pulls_merge', { ...repo, pull_number: 9, merge_method: 'squash' }),
  same('pulls.requestReviewers', 'pulls_request_reviewers', { ...repo, pull_number: 9, reviewers: ['ana'] }),
  same('repos.get', 'repos_get', repo),
  same('repos.createRelease', 'repos_create_release', { ...repo, tag_name: 'v1', prerelease: false }),
  same('repos.listCommits', 'repos_list_commits', {
    ...repo,
    since: '2026-01-01T00:00:00Z',
    path: 'src/a b',
  }),
  same('repos.createDispatchEvent', 'repos_create_dispatch_event', {
    ...repo,
    event_type: 'go',
    client_payload: { a: [1, { b: null }] },
  }),
  same('repos.updateBranchProtection', 'repos_update_branch_protection', {
    ...{ ...repo, branch: 'rel/1', enforce_admins: true, restrictions: null },
    ...{ required_pull_request_reviews: null, required_status_checks: { strict: true, contexts: ['ci'] } },
  }),
  same('search.code', 'search_code', { q: 'addClass in:file language:js', per_page: 2 }),
  // The library takes a plus in it for a space.
  same('search.repos', 'search_repos', { q: 'a b&c', sort: 'stars', order: 'desc' }),
  same('actions.createWorkflowDispatch', 'actions_create_workflow_dispatch', {
    ...{ ...repo, workflow_id: 'ci.yml', ref: 'main', inputs: { name: 'x' } },
  }),
  same('git.createTree', 'git_create_tree', {
    ...repo,
    tree: [{ path: 'a', mode: '100644', type: 'blob', content: 'x' }],
  }),
  same('gists.create', 'gists_create', { files: { 'a.txt': { content: 'x' } }, public: false }),
  same('activity.starRepoForAuthenticatedUser', 'activity_star_repo_for_authenticated_user', repo),
]

type Recorded = {
  readonly method: string
  readonly path: string
  readonly query: unknown
  readonly body: unknown
}

/** Starts a server that answers all requests, and keeps the last one as what it means. */
async function startRecorder() {
  let last: Recorded | null = null
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    const url = new URL(request.url ?? '', 'http://any')
    const type = request.headers['content-type'] ?? ''
    const parsed =
      body === '' ? null : /json/.test(type) ? JSON.parse(body) : pairs(new URLSearchParams(body))
    last = {
      method: request.method ?? '',
      path: decodeURI(url.pathname),
      query: pairs(url.searchParams),
      body: parsed,
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"ok":true,"data":[],"object":"list"}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    take: () => {
      const taken = last
      last = null
      return taken
    },
    stop: () => server.close(),
  }
}

/** Returns pairs of names and values in an order of their names. Equal names keep theirs. */
const pairs = (search: URLSearchParams) =>
  [...search].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))

/** Calls a method by its path below a client: `messages(SM1).fetch`. */
async function callLibrary(client: unknown, method: string, given: readonly unknown[]): Promise<void> {
  let [owner, found]: unknown[] = [null, client]
  for (const [, name = '', id] of method.matchAll(/([A-Za-z]+)(?:\(([^)]*)\))?/g)) {
    owner = found
    found = Reflect.get(Object(owner), name)
    if (id !== undefined && typeof found === 'function') found = found.call(owner, id)
  }
  if (typeof found !== 'function') throw new Error(`The library has no ${method}.`)
  await found.apply(owner, given)
}

/** Creates the clients of the providers, which send to the recorder. */
async function clientsOf(tools: string, port: number) {
  const require = createRequire(join(tools, 'package.json'))
  const load = async (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const base = `http://127.0.0.1:${port}`
  const { default: Stripe } = await load('stripe')
  const { default: makeTwilio } = await load('twilio')
  const { WebClient } = await load('@slack/web-api')
  const { Octokit } = await import(
    pathToFileURL(join(tools, 'node_modules/@octokit/rest/dist-src/index.js')).href
  )
  const sender = new makeTwilio.RequestClient()
  const httpClient = {
    request: (options: { readonly uri: string }) =>
      sender.request({ ...options, uri: options.uri.replace('https://api.twilio.com', base) }),
  }
  return {
    stripe: new Stripe('sk_test_1', { host: '127.0.0.1', port, protocol: 'http', telemetry: false }),
    twilio: makeTwilio(account, 'secret', { httpClient }),
    slack: new WebClient('xoxb-1', { slackApiUrl: `${base}/` }),
    github: new Octokit({ baseUrl: base, log: { debug() {}, info() {}, warn() {}, error() {} } }).rest,
  }
}

export async function run(): Promise<Record<string, number>> {
  const folder = process.env.REAL_APIS
  if (folder === undefined) {
    console.log('Left out: REAL_APIS names no folder of OpenAPI documents.')
    return {}
  }
  const tools = process.env.API_TOOLS === undefined ? installTools(packages) : resolve(process.env.API_TOOLS)
  const recorder = await startRecorder()
  const clients = new Map<string, unknown>(Object.entries(await clientsOf(tools, recorder.port)))
  const equal: Record<string, number> = {}
  for (const [name, calls] of Object.entries({ stripe, twilio, slack, github })) {
    const service = await startService()
    try {
      const text = readFileSync(join(folder, `${name}.json`), 'utf8')
      const mcp = await connectTools(service, text, `http://127.0.0.1:${recorder.port}`)
      equal[name] = 0
      for (const [method, given, tool, args] of calls) {
        const isTokenAsked = mcp.tools.some(
          one => one.name === tool && 'token' in (one.inputSchema.properties ?? {}),
        )
        const [outcome] = await Promise.allSettled([callLibrary(clients.get(name), method, given)])
        const theirs = recorder.take()
        const answer = await mcp.call(tool, { ...(isTokenAsked && { token: 'xoxb-1' }), ...args })
        const ours = recorder.take()
        if (theirs !== null && isDeepStrictEqual(theirs, ours)) equal[name]++
        else
          console.log(
            `  ${name} ${method}: theirs ${JSON.stringify(theirs ?? outcome)}\n  ours ${ours === null ? answer : JSON.stringify(ours)}`,
          )
      }
      await mcp.close()
      console.log(`${name.padEnd(8)} ${equal[name]} of ${calls.length} requests are equal   target: all`)
    } finally {
      await service.stop()
      removeFolder(service.folder)
    }
  }
  recorder.stop()
  return equal
}

if (import.meta.main) await run()
