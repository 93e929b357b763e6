import { type Command, Option } from 'commander'
import { z } from 'zod'
import { minAdminTokenLength } from '#main/storage/local/admin-token.ts'
import { BaseUrl } from '#shared/model/urls.ts'
import { readCredential } from './credential.ts'
import { levels } from './log-levels.ts'
import { print, printLine, say } from './output.ts'
import {
  dataFolderOption,
  isGiven,
  JsonFlag,
  jsonOption,
  PortOption,
  parseOptions,
  refuseUsage,
  repeatable,
  TextOption,
} from './parse-options.ts'
import { servingLines } from './serving-lines.ts'

/** Milliseconds from the end of the service to the end of its process. */
const endWithinMs = 1000

const Host = z.string().min(1, 'Write an address or a host name.')
const ServeOptions = z.object({
  data: z.string().min(1),
  host: Host,
  port: PortOption,
  dashboardHost: Host,
  dashboardPort: PortOption,
  allowedHost: z
    .array(z.string().regex(/^[^\s/:]+$|^\[?[0-9a-f:]+\]?$/i, 'Write a name without a port.'))
    .default([]),
  adminToken: TextOption,
  insecureAdminToken: z.boolean().default(false),
  publicUrl: BaseUrl.optional(),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  logLevel: z.enum(levels),
  open: z.boolean().default(false),
  json: JsonFlag,
})

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the service: the inbound listener, REST and the dashboard.')
    .addOption(dataFolderOption('--data <dir>'))
    .option('--host <address>', 'address of the inbound listener; wins over the settings', '127.0.0.1')
    .option('--port <port>', 'its port; 0 takes a free one; wins over the settings', '8787')
    .option('--dashboard-host <address>', 'address of REST and the dashboard', '127.0.0.1')
    .option('--dashboard-port <port>', 'port of REST and the dashboard; 0 takes a free one', '8788')
    .option('--allowed-host <name>', 'a further name the dashboard answers to; repeatable', repeatable)
    .addOption(
      new Option(
        '--admin-token <token>',
        'token that REST asks for, or @file; generated and kept in the data folder by default',
      ).env('CUSTOM_CONNECTION_ADMIN_TOKEN'),
    )
    .option(
      '--insecure-admin-token',
      `accept an admin token of fewer than ${minAdminTokenLength} characters, which can be guessed`,
    )
    .option('--public-url <url>', 'address under which the inbound listener is reached from outside')
    .option('--tls-cert <file>', 'certificate for both listeners, PEM; with --tls-key')
    .option('--tls-key <file>', 'its private key, PEM')
    .addOption(new Option('--log-level <level>', 'what goes to stderr').choices(levels).default('info'))
    .option('--open', 'open the dashboard in the browser, where there is one')
    .addOption(jsonOption)
    .action(runServe)
}

const tooShort = `An admin token needs at least ${minAdminTokenLength} characters: make one with "openssl rand -hex 32", or leave it out to have one generated. --insecure-admin-token accepts a shorter one.`

async function runServe(_options: unknown, command: Command): Promise<void> {
  const { json, open, data, adminToken, tlsCert, tlsKey, ...options } = parseOptions(command, ServeOptions)
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    refuseUsage(command, 'Give both --tls-cert and --tls-key, or neither.')
  const token = adminToken === undefined ? null : readCredential(adminToken)
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    refuseUsage(command, 'An admin token is made of visible ASCII characters without spaces.')
  if (token !== null && token.length < minAdminTokenLength && !options.insecureAdminToken)
    refuseUsage(command, tooShort)

  const { startServing } = await import('./serving.ts')
  const { untilStopSignal } = await import('./stop-signal.ts')
  const stopSignal = untilStopSignal()
  const serving = await startServing({
    ...options,
    given: { host: isGiven(command, 'host'), port: isGiven(command, 'port') },
    dataFolder: data,
    adminToken: token,
    tls: tlsCert === undefined || tlsKey === undefined ? null : { certFile: tlsCert, keyFile: tlsKey },
    // An orderly stop would remove the socket and the `service.json` of the process that has the folder now.
    onFolderLost: () => process.exit(1),
  })
  const { listenerUrl, dashboardUrl } = serving
  if (json) printLine({ listenerUrl, dashboardUrl, pid: process.pid })
  else {
    const { results, hints } = servingLines(serving, process.stdout.isTTY)
    print(...results)
    for (const hint of hints) say(hint)
  }
  if (open) await openDashboard(serving.signInUrl)
  await stopSignal
  try {
    await serving.stop()
  } finally {
    // All is closed; nothing that was forgotten may keep the process from ending.
    setTimeout(() => process.exit(), endWithinMs).unref()
  }
}

async function openDashboard(url: string): Promise<void> {
  const { browserCommand } = await import('./browser-command.ts')
  const command = browserCommand(process.platform, process.env, process.stdout.isTTY)
  if (command === null) return
  const { openInBrowser } = await import('./open-browser.ts')
  await openInBrowser(command, url)
}
