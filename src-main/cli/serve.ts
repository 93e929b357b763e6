import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { answerLocally, openDashboard, signInUrl } from '#main/http/open-dashboard.ts'
import { rendererFolder } from '#main/http/page.ts'
import { openTlsFiles } from '#main/lib/tls-files.ts'
import { createService } from '#main/service.ts'
import { minAdminTokenLength } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import { minMetricsTokenLength } from '#shared/model/metrics.ts'
import { NodeName } from '#shared/model/nodes.ts'
import { BaseUrl } from '#shared/model/urls.ts'
import { databaseInProcessList, databaseOption, readDatabaseUrl, showsPassword } from './database-option.ts'
import { readableByOthers, readCredential } from './input.ts'
import { createLogger, levels } from './logger.ts'
import { browserCommand, openInBrowser } from './open-browser.ts'
import {
  DataFolder,
  dataFolderOption,
  isGiven,
  JsonFlag,
  jsonOption,
  PortOption,
  parseOptions,
  refuseUsage,
  repeatable,
  SecondsOption,
  TextOption,
} from './options.ts'
import { print, printLine, say } from './output.ts'
import { ownCommand } from './own-command.ts'

/** Seconds for which a node on a database serves what load balancers still send to it. */
const defaultDrainSeconds = 5
/** Milliseconds from the end of the service to the end of its process. */
const endWithinMs = 1000

/** Drops the brackets of an IPv6 address, which URLs have. */
const Host = z
  .string()
  .min(1, 'Write an address or a host name.')
  .transform(host => host.replace(/^\[([0-9a-f:.]+(?:%[\w.-]+)?)\]$/i, '$1'))
const ServeOptions = z.object({
  data: DataFolder,
  host: Host,
  port: PortOption,
  dashboardHost: Host,
  dashboardPort: PortOption,
  allowedHost: z
    .array(z.string().regex(/^[^\s/:]+$|^\[?[0-9a-f:]+\]?$/i, 'Write a name without a port.'))
    .default([]),
  adminToken: TextOption,
  metricsToken: TextOption,
  database: TextOption,
  nodeName: NodeName.optional(),
  insecureAdminToken: z.boolean().default(false),
  publicUrl: BaseUrl.optional(),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  logLevel: z.enum(levels),
  drainSeconds: SecondsOption.optional(),
  fastPath: z.boolean().default(true),
  open: z.boolean().default(false),
  appProblem: z.string().optional(),
  clockAhead: z
    .string()
    .regex(/^\d{1,12}$/, 'Write milliseconds.')
    .default('0')
    .transform(Number),
  check: z.boolean().default(false),
  json: JsonFlag,
})

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the service: the inbound listener, REST and the dashboard.')
    .addOption(dataFolderOption('--data <dir>'))
    .option('--host <address>', 'address of the inbound listener; overrides the settings', '127.0.0.1')
    .option(
      '--port <port>',
      'port of the inbound listener; 0 selects a free one; overrides the settings',
      '8787',
    )
    .option('--dashboard-host <address>', 'address of REST and the dashboard', '127.0.0.1')
    .option('--dashboard-port <port>', 'port of REST and the dashboard; 0 selects a free one', '8788')
    .option('--allowed-host <name>', 'additional host name of the dashboard; repeatable', repeatable)
    .addOption(
      new Option(
        '--admin-token <token>',
        `admin token, or better @file: ${readableByOthers}; by default generated and kept in the data folder`,
      ).env('CUSTOM_CONNECTION_ADMIN_TOKEN'),
    )
    .addOption(
      new Option(
        '--metrics-token <token>',
        `token that reads /metrics and nothing else, or better @file: ${readableByOthers}; by default the one of the settings`,
      ).env('CUSTOM_CONNECTION_METRICS_TOKEN'),
    )
    .addOption(databaseOption('keep everything in a PostgreSQL database'))
    .addOption(
      new Option(
        '--node-name <name>',
        'name among the services on one database; by default the computer’s',
      ).env('CUSTOM_CONNECTION_NODE_NAME'),
    )
    .option(
      '--insecure-admin-token',
      `accept an admin token of fewer than ${minAdminTokenLength} characters, which can be guessed`,
    )
    .option('--public-url <url>', 'public base URL of the inbound listener')
    .option('--tls-cert <file>', 'PEM certificate for both ports; requires --tls-key')
    .option('--tls-key <file>', 'PEM private key of the certificate')
    .addOption(
      new Option('--log-level <level>', 'lowest level of the log on stderr').choices(levels).default('info'),
    )
    .option(
      '--drain-seconds <n>',
      `how long to serve after a signal to stop, while /readyz is 503; with a database ${defaultDrainSeconds} by default, else 0`,
    )
    .option('--no-fast-path', 'serve every inbound request by node:http')
    .option('--open', 'open the dashboard in a browser, if there is one')
    .addOption(new Option('--app-problem <reason>', 'why the desktop app cannot open').hideHelp())
    .addOption(new Option('--check', 'only check the options').hideHelp())
    .addOption(new Option('--clock-ahead <ms>', 'runs ahead of the time, for tests').hideHelp())
    .addOption(jsonOption)
    .action(runServe)
}

const tokenInProcessList =
  'The admin token was given on the command line, where other users of this computer can read it. Give it as --admin-token @FILE or in CUSTOM_CONNECTION_ADMIN_TOKEN instead, and change it.'

const metricsTokenInProcessList =
  'The metrics token was given on the command line, where other users of this computer can read it. Give it as --metrics-token @FILE or in CUSTOM_CONNECTION_METRICS_TOKEN instead, and change it.'

const tooShort = `An admin token needs at least ${minAdminTokenLength} characters. Create one with "openssl rand -hex 32", or omit it to have one generated. --insecure-admin-token accepts a shorter one.`

async function runServe(_options: unknown, command: Command): Promise<void> {
  const options = parseOptions(command, ServeOptions)
  const { json, adminToken, tlsCert, tlsKey } = options
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    refuseUsage(command, 'Give both --tls-cert and --tls-key, or neither.')
  const token = adminToken === undefined ? null : await readCredential(adminToken)
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    refuseUsage(command, 'An admin token may contain only visible ASCII characters, without spaces.')
  if (token !== null && token.length < minAdminTokenLength && !options.insecureAdminToken)
    refuseUsage(command, tooShort)

  const metricsToken = options.metricsToken === undefined ? null : await readCredential(options.metricsToken)
  if (metricsToken !== null && !/^[\x21-\x7e]+$/.test(metricsToken))
    refuseUsage(command, 'A metrics token may contain only visible ASCII characters, without spaces.')
  if (metricsToken !== null && metricsToken.length < minMetricsTokenLength)
    refuseUsage(
      command,
      `A metrics token needs at least ${minMetricsTokenLength} characters. Create one with "openssl rand -hex 32".`,
    )

  if (options.check) return
  const database = await readDatabaseUrl(options.database)
  // Before anything is written to the database.
  if (database !== undefined && token === null) throw new ServiceError('admin_token_required')
  const stopSignal = untilStopSignal()
  const given = {
    host: isGiven(command, 'host'),
    port: isGiven(command, 'port'),
    adminToken: isGiven(command, 'adminToken') && adminToken?.startsWith('@') === false,
    metricsToken: isGiven(command, 'metricsToken') && options.metricsToken?.startsWith('@') === false,
    password: showsPassword(command, options.database),
  }
  const serving = await startServing(
    { ...options, database, metricsToken: metricsToken ?? undefined },
    given,
    token,
  )
  const { listenerUrl, dashboardUrl, mcpUrl } = serving
  const isTerminal = process.stdout.isTTY
  const browser = options.open ? browserCommand(process.platform, process.env, isTerminal) : null
  const openByHand = () => say(`The browser cannot be opened. Open ${dashboardUrl}`)
  const isOpening = browser !== null && (await openInBrowser(browser, serving.signInUrl, openByHand))
  if (json) printLine({ listenerUrl, dashboardUrl, mcpUrl, pid: process.pid })
  else {
    const { results, hints } = servingLines(serving, {
      isTerminal,
      isOpening,
      appProblem: options.appProblem,
    })
    print(...results)
    for (const hint of hints) say(hint)
  }
  await stopSignal
  await serving.drain()
  try {
    await serving.stop()
  } finally {
    // Everything is closed. Ends the process even if something still keeps the event loop alive.
    setTimeout(() => process.exit(), endWithinMs).unref()
  }
}

type Serving = {
  readonly listenerUrl: string
  readonly dashboardUrl: string
  /** The base of the addresses of MCP. */
  readonly mcpUrl: string
  /** The dashboard's address with the admin token in its fragment: a secret. */
  readonly signInUrl: string
  /** Whether the dashboard is built. */
  readonly hasPage: boolean
  /** The file of the admin token; null if the token was given. */
  readonly adminTokenFile: string | null
  /** Serves for some seconds more, so that load balancers can notice. */
  drain(): Promise<void>
  /** Stops accepting, finishes running requests, and stores everything. */
  stop(): Promise<void>
}

/**
 * Starts the headless service: the inbound listener, the dashboard on TCP and on the data folder's socket.
 *
 * @param given what was set on the command line itself, and not by default, in a file or by the environment.
 * @param givenToken null to use the generated token in the data folder.
 * @throws ServiceError the errors of `createService`, `port_in_use`, `address_unavailable`,
 *   `invalid_certificate`, with everything closed again.
 */
async function startServing(
  { data, host, port, tlsCert, tlsKey, ...options }: z.output<typeof ServeOptions>,
  given: Readonly<Record<'host' | 'port' | 'adminToken' | 'metricsToken' | 'password', boolean>>,
  givenToken: string | null,
): Promise<Serving> {
  const logger = createLogger(options.logLevel)
  const { clockAhead } = options
  const clock = clockAhead === 0 ? Date.now : () => Date.now() + clockAhead
  if (given.adminToken) logger.warn({}, tokenInProcessList)
  if (given.metricsToken) logger.warn({}, metricsTokenInProcessList)
  if (given.password) logger.warn({}, databaseInProcessList)
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : openTlsFiles(tlsCert, tlsKey, err => logger.warn({ err }, 'The changed certificate is not used'))
  const service = await createService({
    dataFolder: data,
    database: options.database,
    nodeName: options.nodeName,
    adminToken: givenToken ?? undefined,
    metricsToken: options.metricsToken,
    host,
    port,
    given,
    publicUrl: options.publicUrl ?? null,
    fastPath: options.fastPath,
    tls,
    env: process.env,
    logger,
    clock,
    aheadMs: clockAhead,
    random: randomBytes,
    // A regular stop would remove the socket and `service.json` of the process that owns the folder now.
    onFolderLost: () => process.exit(1),
    command: ownCommand(process),
  }).catch(error => {
    tls?.close()
    throw error
  })
  const closers: (() => Promise<void>)[] = []
  async function drain(): Promise<void> {
    const seconds = options.drainSeconds ?? (service.machine.database === null ? 0 : defaultDrainSeconds)
    if (seconds === 0) return
    logger.info({ seconds }, 'Draining')
    service.drain()
    await delay(seconds * 1000)
  }
  async function stop(): Promise<void> {
    logger.info({}, 'Stopping')
    service.drain()
    await Promise.all(closers.map(close => close()))
    await service.stop()
    logger.info({}, 'Stopped')
  }
  try {
    const { adminToken, folder, database } = service.machine
    const minLength = options.insecureAdminToken ? 1 : minAdminTokenLength
    const token = givenToken ?? (await adminToken.read(minLength))
    const listenerUrl = await service.start().catch(adviseOptions('--port', '--host'))
    const builtPage = rendererFolder(import.meta.dirname)
    const dashboard = await openDashboard(service, {
      host: options.dashboardHost,
      port: options.dashboardPort,
      allowedHosts: options.allowedHost,
      ...{ token, tls, logger },
      rendererFolder: builtPage,
      clock,
      random: randomBytes,
    }).catch(adviseOptions('--dashboard-port', '--dashboard-host'))
    closers.push(dashboard.close)
    const dashboardUrl = dashboard.url
    closers.push(await answerLocally(service, dashboardUrl, { clock, random: randomBytes, logger }))

    logger.info(
      { listenerUrl, dashboardUrl, pid: process.pid, dataFolder: folder.path, ...(database && { database }) },
      'Accepting requests',
    )
    return {
      listenerUrl,
      dashboardUrl,
      mcpUrl: dashboard.mcpUrl,
      signInUrl: signInUrl(dashboardUrl, token),
      hasPage: builtPage !== null,
      adminTokenFile: givenToken === null ? adminToken.location : null,
      drain,
      stop,
    }
  } catch (error) {
    await stop().catch(err => logger.error({ err }, 'Stopping failed'))
    throw error
  }
}

/** Returns a function that adds the options that choose another address to an error of a listener, and throws it. */
function adviseOptions(portOption: string, hostOption: string): (error: unknown) => never {
  return error => {
    if (!(error instanceof ServiceError)) throw error
    const { code, message, cause } = error
    const advice =
      code === 'port_in_use'
        ? `Choose another port with ${portOption}; 0 selects a free one.`
        : code === 'address_unavailable'
          ? `Choose another address with ${hostOption}, or another port with ${portOption}.`
          : null
    throw advice === null ? error : new ServiceError(code, { detail: `${message} ${advice}`, cause })
  }
}

/**
 * Returns the lines of `serve` for people: results for stdout, hints for stderr. The sign-in address contains the admin
 * token. It is shown only on a terminal and for a generated token, so that it never ends up in a file.
 *
 * @param isOpening whether the dashboard opens in a browser. @param appProblem why the desktop app cannot open.
 */
export function servingLines(
  serving: Omit<Serving, 'drain' | 'stop' | 'mcpUrl'>,
  {
    isTerminal,
    isOpening,
    appProblem,
  }: { isTerminal: boolean; isOpening: boolean; appProblem?: string | undefined },
) {
  const { listenerUrl, dashboardUrl, signInUrl, adminTokenFile, hasPage } = serving
  const results = [`Inbound listener: ${listenerUrl}`, `Dashboard: ${dashboardUrl}`]
  if (appProblem !== undefined) {
    const instead = isOpening ? 'The dashboard opens in your browser' : 'Open the dashboard in a browser'
    results.unshift(`The desktop app cannot open (${appProblem}). ${instead} instead.`)
  }
  const hints: string[] = []
  if (adminTokenFile === null)
    hints.push(
      `To sign in, open ${dashboardUrl} and enter the admin token that the service was started with.`,
    )
  else if (isTerminal) {
    results.push(`Sign in: ${signInUrl}`)
    hints.push(`Admin token: kept in ${adminTokenFile}`)
  } else hints.push(`To sign in, open ${dashboardUrl} and enter the admin token. It is in ${adminTokenFile}.`)
  if (!hasPage) hints.push('The dashboard is not built. To see it, run `npm run build`, then start again.')
  return { results, hints }
}

/**
 * Milliseconds within which a second signal counts as the same one: for Ctrl-C, the terminal signals all processes of
 * the group, and npm forwards its own signal.
 */
const sameSignalWithin = 250

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once, with status 1. */
function untilStopSignal(): Promise<void> {
  return new Promise(resolve => {
    let firstAt: number | null = null
    const onSignal = () => {
      if (firstAt === null) {
        firstAt = performance.now()
        resolve()
      } else if (performance.now() - firstAt > sameSignalWithin) process.exit(1)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
