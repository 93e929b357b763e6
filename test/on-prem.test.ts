import { execFile, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { describe, expect, inject, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { createProgram } from '#main/cli/program.ts'
import { dataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { maxKnowledgeFileBytes } from '#shared/model/platform/knowledge.ts'
import packageJson from '../package.json' with { type: 'json' }
import { copiedForImage } from './support/build-product.ts'
import { jsonOf, projectFolder, runCli } from './support/cli-process.ts'
import { serve, stop, temporaryFolder } from './support/cli-service.ts'
import { missingOf, titled } from './support/has-program.ts'

const folder = join(projectFolder, 'resources/on-prem')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const page = readFileSync(join(projectFolder, 'docs/on-prem.md'), 'utf8')
const nodesPage = readFileSync(join(projectFolder, 'docs/nodes.md'), 'utf8')
const unit = read('custom-connection.service')
const backupUnit = read('custom-connection-backup.service')
const unitFiles = readdirSync(folder).filter(name => /\.(service|timer)$/.test(name))
const dockerfile = read('Dockerfile')
/** The fields of a Docker Compose file that this page reads. */
const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      command: z.array(z.string()).optional(),
      ports: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
    }),
  ),
})
const compose = Compose.parse(parse(read('compose.yaml')))
const nodesCompose = Compose.parse(parse(read('compose.nodes.yaml'), { merge: true }))

/** The fields of the Kubernetes manifests that this page reads. */
const Labels = z.record(z.string(), z.string())
const Probe = z.looseObject({
  httpGet: z.strictObject({
    path: z.string(),
    port: z.literal('dashboard'),
    httpHeaders: z
      .tuple([z.strictObject({ name: z.literal('Host'), value: z.literal('localhost') })])
      .optional(),
  }),
})
const Pod = z.looseObject({
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
  topologySpreadConstraints: z.array(
    z.looseObject({ labelSelector: z.strictObject({ matchLabels: Labels }) }),
  ),
  containers: z.tuple([
    z.looseObject({
      args: z.array(z.string()),
      envFrom: z.tuple([z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })]),
      ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })),
      startupProbe: Probe,
      readinessProbe: Probe,
      livenessProbe: Probe,
      securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
      volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string() })),
    }),
  ]),
  volumes: z.array(z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) })),
})
const Deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    replicas: z.int(),
    selector: z.strictObject({ matchLabels: Labels }),
    template: z.object({ metadata: z.strictObject({ labels: Labels }), spec: Pod }),
  }),
})
const Budget = z.object({
  kind: z.literal('PodDisruptionBudget'),
  spec: z.strictObject({
    maxUnavailable: z.literal(1),
    selector: z.strictObject({ matchLabels: Labels }),
  }),
})
const Service = z.object({
  kind: z.literal('Service'),
  spec: z.strictObject({
    selector: Labels,
    ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
  }),
})
const manifests = parseAllDocuments(read('kubernetes.yaml')).map(document => document.toJS())
const [deployment, budget, ...services] = z.tuple([Deployment, Budget, Service, Service]).parse(manifests)
const pod = deployment.spec.template.spec
const [container] = pod.containers

/** By name: `serve`, `list nodes`. */
const commands = new Map(
  (await createProgram()).commands.flatMap(command =>
    command.commands.length === 0
      ? [[command.name(), command] as const]
      : command.commands.map(own => [`${command.name()} ${own.name()}`, own] as const),
  ),
)

/** A call of the executable in a text of another kind: its subcommand and the options that it is given. */
type Call = { readonly command: string; readonly options: readonly string[] }

/** Returns the calls in lines of a shell, of any user. */
function callsIn(script: string): Call[] {
  // The first name after `docker compose exec` is the container's.
  const text = script.replaceAll(/\\\n/g, ' ').replaceAll(/ exec (-T )?custom-connection /g, ' exec ')
  const lines = text.split(/\n|&&|\||;/)
  return lines.flatMap(line => {
    const [, ...found] =
      /(?:custom-connection|cli\.js|npm run cli --) ((?:serve|[a-z]+)(?: .*)?)$/.exec(line) ?? []
    const words = (found[0] ?? '').split(/\s+/)
    const [first = ''] = words
    const two = words.slice(0, 2).join(' ')
    const command = commands.has(two) ? two : first
    return command === '' ? [] : [{ command, options: words.filter(word => word.startsWith('--')) }]
  })
}

const callsOf = ({ services }: z.output<typeof Compose>) =>
  Object.values(services).flatMap(({ command = [] }) => callsIn(`cli.js ${command.join(' ')}`))
const fenced = [...(page + nodesPage).matchAll(/^```[^\n]*\n(.*?)^```/gms)].map(([, text = '']) => text)
const inline = [...(page + nodesPage).matchAll(/`(custom-connection [^`]+)`/g)].map(([, text = '']) => text)
const argumentsOf = (line: string) => z.array(z.string()).parse(JSON.parse(line))
const entrypoint = argumentsOf(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '')
const dockerCommand = argumentsOf(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? '')

describe('every call of the executable', () => {
  const places: [string, Call[]][] = [
    ['the pages', [...fenced, ...inline].flatMap(callsIn)],
    ['the unit', callsIn(unit)],
    ['the unit of the backup', callsIn(backupUnit)],
    ['the image', callsIn(`cli.js ${dockerCommand.join(' ')}`)],
    ['compose', callsOf(compose)],
    ['compose of several nodes', callsOf(nodesCompose)],
    ['Kubernetes', callsIn(`cli.js ${container.args.join(' ')}`)],
  ]

  it.each(places)('in %s names a subcommand and options that there are', (_place, calls) => {
    expect(calls.length).toBeGreaterThan(0)
    for (const { command, options } of calls) {
      const known = commands.get(command)?.options.map(({ long }) => long)
      expect(known, command).toBeDefined()
      expect(known, `${command} ${options.join(' ')}`).toEqual(expect.arrayContaining([...options]))
    }
  })

  it('is found by this test: it sees what is wrong', () => {
    expect(callsIn('sudo -u custom-connection custom-connection restore x --data y --force\n')).toEqual([
      { command: 'restore', options: ['--data', '--force'] },
    ])
    expect(callsIn('node /opt/out/main/cli.js serv \\\n  --hots 0.0.0.0')).toEqual([
      { command: 'serv', options: ['--hots'] },
    ])
    const calls = places.flatMap(([, found]) => found)
    expect(new Set(calls.map(({ command }) => command))).toEqual(
      new Set(['serve', 'backup', 'restore', 'list backups', 'list nodes']),
    )
  })
})

describe('the pages', () => {
  it('link to files that are there, and to all of them', () => {
    const links = [...(page + nodesPage).matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, link = '']) =>
      join(projectFolder, 'docs', link),
    )
    for (const link of links) expect(existsSync(link), link).toBe(true)
    const files = readdirSync(folder).filter(name => !name.endsWith('.dockerignore'))
    expect(new Set(links)).toEqual(new Set(files.map(name => join(folder, name))))
  })

  it('run scripts of package.json', () => {
    const scripts = [...(page + dockerfile).matchAll(/npm run (\w+)/g)].map(([, name]) => name)
    expect(scripts.length).toBeGreaterThan(0)
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts))
  })
})

describe('the ports', () => {
  /** Returns the parts of a proxy's configuration: the public listener, and the private dashboard. */
  const partsOf = (file: string) => read(file).split('# The dashboard and REST')
  const defaults = (option: string) =>
    commands.get('serve')?.options.find(({ long }) => long === option)?.defaultValue
  const [listener, dashboard] = ['--port', '--dashboard-port'].map(option => String(defaults(option)))

  it('are those that the service has when it is not told others', () => {
    expect(unit).toContain(`--port ${listener} --dashboard-host 127.0.0.1 --dashboard-port ${dashboard}`)
    expect(dockerfile).toContain(`EXPOSE ${listener} ${dashboard}`)
    expect(dockerfile).toContain(`http://127.0.0.1:${dashboard}/healthz`)
    expect(page).toContain(`| ${listener}, the listener |`)
    expect(page).toContain(`| ${dashboard}, the dashboard |`)
  })

  it.each([
    {
      file: 'nginx.conf',
      inbound: `location /api/connect/ {`,
      to: (port?: string) => `server 127.0.0.1:${port} fail_timeout=1s;`,
    },
    {
      file: 'Caddyfile',
      inbound: 'handle /api/connect/* {',
      to: (port?: string) => `reverse_proxy 127.0.0.1:${port}`,
    },
  ])('$file makes the inbound path public, and the dashboard under its own name', ({ file, inbound, to }) => {
    const [publicPart = '', privatePart = ''] = partsOf(file)
    expect(publicPart).toContain(inbound)
    expect(publicPart).toContain(to(listener))
    expect(publicPart).toContain('404')
    expect(publicPart).not.toContain(`:${dashboard}`)
    expect(privatePart).toContain('dashboard.example.com')
    expect(privatePart).toContain(to(dashboard))
    expect(privatePart).not.toContain(`:${listener}`)
  })

  it('take a knowledge file of the largest size through nginx', () => {
    const [, privatePart = ''] = partsOf('nginx.conf')
    const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(privatePart) ?? []
    expect(Number(mebibytes) * 1024 ** 2).toBeGreaterThan(maxKnowledgeFileBytes)
  })

  it.each([compose, nodesCompose])('are published by compose on loopback alone', ({ services }) => {
    const published = Object.values(services).flatMap(({ ports }) => ports)
    expect(published).toEqual([`127.0.0.1:${listener}:${listener}`, `127.0.0.1:${dashboard}:${dashboard}`])
  })
})

describe('several nodes', () => {
  const nodes = Object.entries(nodesCompose.services).filter(([, { command }]) => command !== undefined)
  const haproxy = read('haproxy.cfg')
  const volume = /^VOLUME (.*)$/m.exec(dockerfile)?.[1] ?? ''

  it('are in HAProxy those of compose, on the ports that the service has', () => {
    const servers = [...haproxy.matchAll(/^ *server (\S+) (\S+)$/gm)].map(([, name, place]) => [name, place])
    const names = nodes.map(([name]) => name)
    expect(names).toHaveLength(3)
    const expected = ['8787', '8788', '8788'].flatMap(port => names.map(name => [name, `${name}:${port}`]))
    expect(servers).toEqual(expected)
  })

  it('keep nothing that lasts', () => {
    for (const [, { volumes }] of nodes) expect(volumes).toEqual([volume])
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([volume, '/tmp'])
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name))
  })

  it('get variables that the program reads', () => {
    const known = [...commands.values()].flatMap(command => command.options.map(({ envVar }) => envVar))
    const texts = [nodesPage, read('compose.nodes.yaml'), read('kubernetes.yaml')]
    const named = texts.flatMap(text => text.match(/\bCUSTOM_CONNECTION_[A-Z_]+/g) ?? [])
    expect(new Set(named).size).toBeGreaterThan(2)
    for (const name of named) expect([...known, 'CUSTOM_CONNECTION_KEY']).toContain(name)
  })

  it('are found by what selects them, on ports that the container has', () => {
    const { labels } = deployment.spec.template.metadata
    const selectors = [deployment.spec.selector, budget.spec.selector, ...pod.topologySpreadConstraints]
    for (const selector of selectors)
      expect('matchLabels' in selector ? selector.matchLabels : selector.labelSelector.matchLabels).toEqual(
        labels,
      )
    for (const { spec } of services) expect(spec.selector).toEqual(labels)
    const ports = container.ports.map(({ name, containerPort }) => [name, containerPort])
    expect(ports).toEqual([
      ['listener', 8787],
      ['dashboard', 8788],
    ])
    expect(services.flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort))).toEqual([
      'listener',
      'dashboard',
    ])
  })

  it('are restarted by Kubernetes if they do not answer, and not while the database is away', () => {
    expect(container.startupProbe.httpGet.path).toBe('/readyz')
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    expect(container.livenessProbe.httpGet.path).toBe('/')
    expect(deployment.spec.replicas).toBe(3)
    expect(pod.terminationGracePeriodSeconds).toBe(30)
  })

  it('answer what asks whether they are ready', async () => {
    const service = await serve(temporaryFolder())
    const check = /^ *http-check send meth GET uri (\S+) ver HTTP\/1.1 hdr Host (\S+)$/m.exec(haproxy)
    expect(check?.slice(1)).toEqual(['/readyz', 'localhost'])
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) {
      // Kubernetes asks a pod by its address.
      const [host] = httpGet.httpHeaders ?? []
      const options = { headers: { host: host?.value ?? '10.1.2.3:8788' } }
      const { statusCode, body } = await request(service.dashboardUrl + httpGet.path, options)
      await body.dump()
      expect(statusCode).toBe(200)
    }
    const { port } = new URL(service.dashboardUrl)
    for (const [, { healthcheck }] of nodes) {
      const [kind, program, ...args] = healthcheck?.test ?? []
      expect([kind, program]).toEqual(['CMD', 'node'])
      const here = args.map(argument => argument.replace(':8788', `:${port}`))
      await promisify(execFile)(process.execPath, here)
    }
  })

  const missing = missingOf('kubectl')
  it.skipIf(missing.length > 0)(titled('have fields that kubectl knows', missing), () => {
    const file = join(temporaryFolder(), 'deployment.json')
    const [given] = manifests
    writeFileSync(file, JSON.stringify(given))
    // It reads the object into its own types, and so drops what it does not know.
    const args = [
      'set',
      'image',
      '--local',
      '--filename',
      file,
      'custom-connection=other',
      '--output',
      'json',
    ]
    const { stdout, stderr } = spawnSync('kubectl', args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    const image = 'registry.example.com/custom-connection'
    expect(JSON.parse(stdout.replace('"other"', JSON.stringify(image)))).toMatchObject(given)
  })
})

describe('memory', () => {
  it('is bounded by the flags of the package’s own script', () => {
    const flags = packageJson.scripts.serve.split(' ').filter(word => word.startsWith('--'))
    expect(flags.length).toBeGreaterThan(0)
    expect(unit).toContain(`node ${flags.join(' ')} /opt`)
    expect(entrypoint.slice(0, -1)).toEqual(['node', ...flags])
    expect(page).toContain(`node ${flags.join(' ')} /opt`)
  })
})

describe('the data folder', () => {
  it('is below what systemd and Docker give, so that a restore can rename it', () => {
    expect(unit).toContain('Environment=CUSTOM_CONNECTION_DATA=%S/custom-connection/data')
    const volume = /^VOLUME (.*)$/m.exec(dockerfile)?.[1]
    expect(dockerfile).toContain(`ENV CUSTOM_CONNECTION_DATA=${volume}/data`)
    expect(read('compose.yaml')).toContain(`- data:${volume}`)
    // Short enough for the socket to lie in it, where the command line of another user's shell finds it.
    expect(dataFolderPaths(`${volume}/data`).socketPath).toBe(`${volume}/data/service.sock`)
  })
})

describe('the units', () => {
  it.each(unitFiles)(
    '%s has every line in the form that systemd reads, and names nothing twice that counts once',
    name => {
      const lines = read(name)
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .filter(line => line !== '' && !line.startsWith('#'))
      const keys = lines
        .filter(line => !/^\[(Unit|Service|Timer|Install)\]$/.test(line))
        .map(line => /^([A-Z]\w+)=/.exec(line)?.[1])
      expect(keys).not.toContain(undefined)
      const repeatable = ['Environment', 'SystemCallFilter']
      const single = keys.filter(key => !repeatable.includes(key ?? ''))
      expect(new Set(single).size).toBe(single.length)
    },
  )

  it('name other units that are there', () => {
    const named = unitFiles.flatMap(name => [...read(name).matchAll(/^(?:OnFailure|Unit)=(.*)$/gm)])
    expect(named.length).toBeGreaterThan(0)
    for (const [, unit] of named) expect(unitFiles).toContain(unit)
    // A timer starts the unit of its own name.
    for (const timer of unitFiles.filter(name => name.endsWith('.timer')))
      expect(unitFiles).toContain(timer.replace('.timer', '.service'))
    for (const name of unitFiles) expect(page).toContain(`resources/on-prem/${name}`)
  })

  it('run programs by their full paths', () => {
    for (const name of unitFiles)
      for (const [, program] of read(name).matchAll(/^Exec\w+=(\S+)/gm)) expect(program, name).toMatch(/^\//)
    expect(commandOf(backupUnit)).toMatch(
      /^exec \/usr\/bin\/node \/opt\/custom-connection\/out\/main\/cli\.js /,
    )
  })

  const missing = missingOf('systemd-analyze')
  it.skipIf(missing.length > 0)(titled('are ones to systemd', missing), () => {
    const copies = temporaryFolder()
    const files = unitFiles.map(name => join(copies, name))
    for (const [index, file] of files.entries())
      writeFileSync(file, read(unitFiles[index] ?? '').replaceAll('/usr/bin/node', process.execPath))
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' })
    expect(verified).toMatchObject({ status: 0, stderr: '' })
  })
})

/** Returns the script of a unit's `/bin/sh -c`, as systemd passes it. */
function commandOf(text: string): string {
  const [, script = ''] = /^ExecStart=\/bin\/sh -c '(.*?)'$/ms.exec(text) ?? []
  return script
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll('$$', '$')
    .replaceAll('%%', '%')
}

describe.runIf(process.platform !== 'win32')('the nightly backup', () => {
  /** Runs a script as a unit does: with nothing of a shell's environment. */
  const runScript = (script: string, env: Record<string, string> = {}) =>
    promisify(execFile)('/bin/sh', ['-c', script], { env: { PATH: '/usr/bin:/bin', ...env } })
  /** The unit's command with the programs and folders of this test. */
  const inFolder = (script: string, backups: string) =>
    script
      .replace('/usr/bin/node', process.execPath)
      .replace('/opt/custom-connection/out', inject('builtFolder'))
      .replaceAll('/var/backups/custom-connection', backups)

  it('is one of the running service, and deletes the old ones then', async () => {
    const service = await serve(join(temporaryFolder(), 'data'))
    const backups = temporaryFolder()
    const days = (count: number) => Date.now() / 1000 - count * 86_400
    for (const [name, age] of [
      ['old.tar.gz', 16],
      ['interrupted.tar.gz.1a2b3c4d.part', 16],
      ['younger.tar.gz', 13],
      ['notes.txt', 16],
    ] as const) {
      writeFileSync(join(backups, name), '')
      utimesSync(join(backups, name), days(age), days(age))
    }
    await runScript(inFolder(commandOf(backupUnit), backups), { CUSTOM_CONNECTION_DATA: service.data })
    const [, after = ''] = /^ExecStartPost=(.*)$/m.exec(backupUnit) ?? []
    const [find = '', ...words] = inFolder(after, backups).split(' ')
    await promisify(execFile)(find, words)
    const [made = '', ...others] = readdirSync(backups).sort()
    expect(made).toMatch(/^\d{4}-\d\d-\d\d-\d{6}\.tar\.gz$/)
    expect(others).toEqual(['notes.txt', 'younger.tar.gz'])
    const restored = ['restore', join(backups, made), '--data', join(temporaryFolder(), 'data')]
    expect((await runCli(restored)).code).toBe(0)
  })

  it('fails where it cannot be made, so that systemd starts the notice', async () => {
    const nothing = { CUSTOM_CONNECTION_DATA: join(temporaryFolder(), 'nothing') }
    const made = runScript(inFolder(commandOf(backupUnit), temporaryFolder()), nothing)
    await expect(made).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_input') })
    expect(backupUnit).toContain('OnFailure=custom-connection-backup-failed.service')
  })

  it.each([true, false])(
    'has a notice that reaches the journal, and root with a mail program: %s',
    async hasMail => {
      const programs = temporaryFolder()
      const kept = (name: string) => join(programs, `${name}.txt`)
      for (const name of hasMail ? ['systemd-cat', 'mail'] : ['systemd-cat']) {
        const script = `#!/bin/sh\n{ echo "$@"; cat; } > ${kept(name)}\n`
        writeFileSync(join(programs, name), script, { mode: 0o755 })
      }
      for (const name of ['uname', 'cat']) symlinkSync(join('/bin', name), join(programs, name))
      const script = commandOf(read('custom-connection-backup-failed.service'))
      const here = script.replace('/usr/bin/systemd-cat', join(programs, 'systemd-cat'))
      await runScript(here, { PATH: programs })
      const notice =
        /^.*\nThe backup of Custom Connection on \S+ failed\. See: journalctl -u custom-connection-backup\n$/
      expect(readFileSync(kept('systemd-cat'), 'utf8')).toMatch(notice)
      if (hasMail) expect(readFileSync(kept('mail'), 'utf8')).toMatch(notice)
    },
  )
})

describe('the image', () => {
  const stages = dockerfile.split(/^FROM /m)

  it('copies from the checkout what is there', () => {
    expect(copiedForImage()).toContain('package-lock.json')
    for (const source of copiedForImage()) expect(existsSync(join(projectFolder, source)), source).toBe(true)
  })

  it('serves, backs up and restores with what it keeps of its build', async () => {
    // The product of the tests is built from what the image copies, by this script.
    expect(packageJson.scripts.build).toBe('electron-vite build')
    const out = inject('builtFolder')
    const image = temporaryFolder()
    const kept = [...(stages[2] ?? '').matchAll(/^COPY --from=build \/build\/out\/(\S+) (\S+)$/gm)]
    for (const [, from = '', to = ''] of kept) cpSync(join(out, from), join(image, to), { recursive: true })
    const cli = join(image, entrypoint.at(-1) ?? '')
    const [, target = '', link = ''] = /ln -s (\S+) (\S+)/.exec(dockerfile) ?? []
    mkdirSync(join(image, dirname(link)), { recursive: true })
    symlinkSync(join(image, target), join(image, link))
    const options = { entry: cli, cwd: image }
    const service = await serve(join(image, 'volume/data'), dockerCommand.slice(1), options)
    expect((await fetch(`${service.dashboardUrl}/healthz`)).status).toBe(200)
    expect(await (await fetch(service.dashboardUrl)).text()).toContain('<script')
    // As `docker exec` runs it, by its other name.
    const file = join(image, 'volume/backup.tar.gz')
    const args = ['--data', service.data, '--json']
    const linked = { ...options, entry: join(image, link) }
    expect(jsonOf(await runCli(['backup', file, ...args], linked))).toMatchObject({ file })
    expect(await stop(service)).toBe(0)
    expect((await runCli(['restore', file, '--force', ...args], linked)).code).toBe(0)
  })
})
