import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { serve } from '../outbound/support.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import {
  type CliService,
  createConnection,
  rest,
  serve as serveService,
  sharedService,
  temporaryFolder,
} from '../support/cli-service.ts'

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'import')
const Names = z.array(z.object({ name: z.string() }))

async function connectionNames(service: CliService): Promise<string[]> {
  return Names.parse((await rest(service, 'GET', '/connections')).body).map(({ name }) => name)
}

function fileOf(name: string, text: string): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

const document = JSON.stringify({
  connection: { name: 'Orders', baseUrl: 'https://api.example.com' },
  actions: [{ name: 'Find', description: 'Finds.', path: '/find', headers: { 'X-Key': '{{ORDERS_KEY}}' } }],
  events: [{ eventName: 'order.created' }],
})

const shared = sharedService()

describe('import', () => {
  it('shows with --dry-run what it would do, variables and hosts included, and does nothing', async () => {
    const service = shared()
    const before = await connectionNames(service)
    const file = fileOf('orders.json', document)
    const result = await runCli(['import', file, '--dry-run', '--data', service.data])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toBe(
      [
        'A new connection, "Orders", at https://api.example.com',
        'Would create 1 action:',
        '  find',
        'Would create 1 event type:',
        '  order.created',
        'Environment variables, and where they would be sent:',
        '  ORDERS_KEY → api.example.com',
        '',
      ].join('\n'),
    )
    expect(await connectionNames(service)).toEqual(before)
    const json = await runCli(['import', file, '--dry-run', '--json', '--data', service.data])
    expect(jsonOf(json)).toMatchObject({ ok: true, valid: true, actions: { create: ['find'], skip: [] } })
  })

  it('imports from a file or stdin, and again into the same connection without doing anything', async () => {
    const service = await shared.empty()
    const data = ['--data', service.data]
    const first = await runCli(['import', '-', '--json', ...data], { stdin: document })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const { connectionId, created } = ImportResult.parse(jsonOf(first))
    expect(created).toEqual({ actions: ['find'], eventTypes: ['order.created'] })
    for (const connection of [connectionId, 'Orders']) {
      const again = await runCli([
        'import',
        fileOf('orders.json', document),
        '--connection',
        connection,
        ...data,
      ])
      expect(again.code).toBe(0)
      expect(again.stderr).toMatch(
        /orders\.json:1:15: warning: The connection keeps its own name and settings/,
      )
      expect(again.stdout).toContain('Skipped 1 action that already exists or is repeated:\n  find\n')
      expect(again.stdout).toContain(
        `Imported into ${connectionId}: 0 actions and 0 event types created, 1 action and 1 event type skipped.`,
      )
    }
    expect(await connectionNames(service)).toEqual(['Orders'])
  })

  it('fetches the document with a header from --url, and says what happened when it cannot', async () => {
    const service = await shared.empty()
    const { url } = await serve((request, response) => {
      const isSigned = request.headers['x-api-key'] === 'canary-0123456789'
      response.writeHead(isSigned ? 200 : 401).end(isSigned ? document : '')
    })
    const data = ['--data', service.data]
    await rest(service, 'PUT', '/environment/ACME_KEY', { body: { value: 'canary-0123456789' } })
    const refused = await runCli(['import', '--url', url, ...data])
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain(`${new URL(url).host} answered 401. Add a header.`)
    const header = ['--header', 'X-Api-Key: {{ACME_KEY}}']
    const result = await runCli(['import', '--url', url, ...header, ...data])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('1 action and 1 event type created')
    for (const wrong of [[], [fileOf('orders.json', document), '--url', url]])
      expect(await runCli(['import', ...wrong, ...data])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Give either a file or --url.'),
      })
  })

  it('signs in with the scheme of --auth, or with none', async () => {
    const service = await shared.empty()
    const text = JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Projects', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        },
      },
      security: [{ token: [] }, { key: [] }],
      paths: { '/a': { get: { operationId: 'a', responses: {} } } },
    })
    const import_ = ['import', fileOf('api.json', text), '--data', service.data]
    const shown = async (...more: string[]) => (await runCli([...import_, '--dry-run', ...more])).stdout
    expect(await shown()).toContain(
      'Signs in with token: the header Authorization, Bearer {{PROJECTS_TOKEN}}\n',
    )
    expect(await shown('--auth', 'key')).toContain(
      'Signs in with key: the header X-Key, {{PROJECTS_X_KEY}}\n',
    )
    expect(await shown('--auth', 'none')).not.toContain('PROJECTS_')
  })

  it('makes a connection for each server of a document, or takes those of --server', async () => {
    const service = await shared.empty()
    const file = join(fixtures, 'openapi-pets.input.yaml')
    const import_ = ['import', file, '--data', service.data]
    const all = await runCli([...import_, '--dry-run'])
    expect(all.stdout).toMatch(
      /^A new connection, "Pet Store", for https:\/\/eu\.pets\.example\/v1: 7 operations, signs in with X-API-Key: \{\{PET_STORE_X_API_KEY\}\}\nA new connection, "Pet Store \(other\.example\)", for https:\/\/other\.example: 1 operation, signs in with/i,
    )
    const one = await runCli([...import_, '--server', 'https://Other.example/'])
    expect(one.stdout).toContain('A new connection, "Pet Store (other.example)", at https://other.example\n')
    expect(one.stdout).toMatch(/Imported into conn_\S+: 1 action and 0 event types created/)
    const both = await runCli(import_)
    expect(both.stdout).toMatch(
      /Imported into 2 connections: 7 actions and .* created, 1 action and 0 event types skipped\.\n {2}conn_\S+ Pet Store\n {2}conn_\S+ Pet Store \(other\.example\)\n$/,
    )
    expect(await connectionNames(service)).toEqual(['Pet Store (other.example)', 'Pet Store'])

    const sandbox = await runCli([
      ...import_,
      '--server',
      'https://sandbox.pets.example',
      '--json',
      '--dry-run',
    ])
    const { servers } = ImportPreview.parse(jsonOf(sandbox))
    expect(servers.filter(({ chosen }) => chosen).map(({ url }) => url)).toEqual([
      'https://sandbox.pets.example',
    ])
    const unknown = await runCli([...import_, '--server', 'https://x.example'])
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('The document has no such server.')
  })

  it('exits 1 with a line for each error, its place first', async () => {
    const service = shared()
    const before = await connectionNames(service)
    const file = fileOf(
      'wrong.json',
      '{\n  "connection": {"name": "Shop"},\n  "actions": [{"name": "A", "path": "/x/{id}"}],\n  "token": "value-canary"\n}',
    )
    for (const dryRun of [[], ['--dry-run']]) {
      const result = await runCli(['import', file, '--data', service.data, ...dryRun])
      expect(result.code).toBe(1)
      const lines = result.stderr.split('\n')
      expect(lines).toContain(`${file}:3:15: The field "description" is missing. (actions[0].description)`)
      expect(lines).toContain(
        `${file}:3:37: A path must not contain placeholders. Send the value as a parameter instead. With "in": "path", it fills {its name}. (actions[0].path)`,
      )
      expect(result.stderr + result.stdout).not.toContain('canary')
      expect(result.stderr).not.toMatch(/\n {4}at /)
    }
    const json = await runCli(['import', file, '--data', service.data, '--json'])
    expect(json.code).toBe(1)
    expect(jsonOf(json)).toMatchObject({
      ok: false,
      code: 'invalid_document',
      data: { issues: [{ path: 'actions[0].description', line: 3, column: 15, severity: 'error' }, {}, {}] },
    })
    const syntax = await runCli(['import', '-', '--data', service.data], { stdin: '{"a": 1,}' })
    expect(syntax.code).toBe(1)
    expect(syntax.stderr).toContain('stdin:1:8: Remove this trailing comma')
    expect(await connectionNames(service)).toEqual(before)
  })

  it('fills in the constants of --set, takes the operations of --tag, and names the other placeholders', async () => {
    const service = await shared.empty()
    const operation = (tag: string) => ({ get: { tags: [tag], responses: {} } })
    const file = fileOf(
      'api.json',
      JSON.stringify({
        openapi: '3.0.0',
        info: { title: 'Projects', version: '1' },
        servers: [{ url: 'https://api.example.com' }],
        paths: {
          '/p/{project}/a': operation('A'),
          '/p/{project}/b': operation('B'),
          '/p/{project}/a/{id}': operation('A'),
        },
      }),
    )
    const import_ = ['import', file, '--data', service.data, '--tag', 'A', '--set', 'project=a=b/c']
    const preview = await runCli([...import_, '--dry-run'])
    expect(preview).toMatchObject({ code: 0 })
    expect(preview.stdout).toContain('Would create 2 actions:\n  get_p_project_a\n  get_p_project_a_id\n')
    expect(preview.stdout).toContain(
      'Parameters of paths, which --set NAME=VALUE makes constants:\n  {id} in 1 operation\n',
    )
    const { created, connectionId } = ImportResult.parse(jsonOf(await runCli([...import_, '--json'])))
    expect(created.actions).toEqual(['get_p_project_a', 'get_p_project_a_id'])
    const { body } = await rest(service, 'GET', `/connections/${connectionId}/actions`)
    expect(body).toMatchObject([{ path: '/p/a%3Db%2Fc/a' }, { path: '/p/a%3Db%2Fc/a/{id}' }])

    const wrong = await runCli(['import', file, '--data', service.data, '--set', 'project'])
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('A constant is NAME=VALUE, for example --set projectId=prj_42.')
    const empty = await runCli(['import', file, '--data', service.data, '--set', 'project='])
    expect(empty.code).toBe(1)
    expect(empty.stderr).toContain('A constant must not be empty.')
  })

  it('knows by its content what a file is', async () => {
    const service = await shared.empty()
    for (const file of ['openapi-pets.input.yaml', 'openapi-3.1.input.json', 'curl-get.input.txt']) {
      const result = await runCli(['import', join(fixtures, file), '--data', service.data])
      expect(result.code).toBe(0)
    }
    expect(await connectionNames(service)).toEqual([
      'Pet Store',
      'Pet Store (other.example)',
      'Orders – 2026',
      'api.example.com',
    ])
  })

  it('takes the format that is named instead', async () => {
    const service = shared()
    const args = [
      'import',
      join(fixtures, 'curl-get.input.txt'),
      '--format',
      'document',
      '--data',
      service.data,
    ]
    const result = await runCli(args)
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('The document must start with { or [')
  })

  it('refuses what it cannot read or find', async () => {
    const service = shared()
    const run = async (...args: string[]) =>
      jsonOf(await runCli(['import', ...args, '--json', '--data', service.data]))
    expect(await run('/nowhere/file.json')).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('/nowhere/file.json cannot be read'),
    })
    const file = fileOf('orders.json', document)
    expect(await run(file, '--connection', 'Nobody')).toMatchObject({ code: 'connection_not_found' })
    expect(await run(file, '--workspace', 'ws_none')).toMatchObject({ code: 'workspace_not_found' })
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'latin1.json'), Buffer.from([0x22, 0xe9, 0x22]))
    expect(await run(join(folder, 'latin1.json'))).toMatchObject({ message: 'The file is not valid UTF-8.' })
    writeFileSync(join(folder, 'large.json'), Buffer.alloc(16 * 1024 * 1024 + 1, 0x20))
    expect(await run(join(folder, 'large.json'))).toMatchObject({
      message: 'The file is larger than 16 MiB.',
    })
  })

  it('sends even a document of the greatest size that escaping makes larger', async () => {
    const service = shared()
    const start = '{"connection": {"name": "Large"}}'
    // Each line break takes two bytes on its way. The text is quick to read, because that has a time limit.
    const text = start + '\n'.repeat(16 * 1024 * 1024 - start.length)
    const result = await runCli(['import', fileOf('large.json', text), '--json', '--data', service.data])
    expect(result.code).toBe(0)
  })
})

describe('export', () => {
  it('writes a connection as a document that gives it again', async () => {
    const service = await shared.empty()
    const data = ['--data', service.data]
    await runCli(['import', join(fixtures, 'full.input.json'), ...data])
    const printed = await runCli(['export', 'Shop', ...data])
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(printed.stdout).not.toMatch(/whsec_|conn_|act_/)
    const output = join(temporaryFolder(), 'shop.json')
    const written = await runCli(['export', 'Shop', '--output', output, ...data])
    expect(written).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(output, 'utf8')).toBe(printed.stdout)
    expect(jsonOf(await runCli(['export', 'Shop', '--json', ...data]))).toEqual(JSON.parse(printed.stdout))

    writeFileSync(output, 'mine')
    const refused = await runCli(['export', 'Shop', '--output', output, ...data])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^file_exists: .*--force\.\n$/)
    expect(readFileSync(output, 'utf8')).toBe('mine')
    expect((await runCli(['export', 'Shop', '--output', output, '--force', ...data])).code).toBe(0)
    expect(readFileSync(output, 'utf8')).toBe(printed.stdout)

    const other = await serveService(temporaryFolder())
    expect((await runCli(['import', output, '--data', other.data])).code).toBe(0)
    expect((await runCli(['export', 'Shop', '--data', other.data])).stdout).toBe(printed.stdout)
  })

  it('names the fields that other programs may not know', async () => {
    const service = await shared.empty()
    const data = ['--data', service.data]
    const parameter = { name: 'id', type: 'string', description: 'The id.', required: true, in: 'path' }
    const document = {
      connection: { name: 'Shop', baseUrl: 'https://shop.example', rateLimit: { calls: 5, perSeconds: 1 } },
      actions: [
        {
          ...{ name: 'Find', toolName: 'find', description: 'Finds.', method: 'GET', path: '/orders/{id}' },
          parameters: [parameter],
        },
      ],
    }
    await runCli(['import', fileOf('shop.json', JSON.stringify(document)), ...data])
    const { stderr, stdout } = await runCli(['export', 'Shop', ...data])
    expect(stderr).toBe('warning: Other programs may not know these of its fields: rateLimit, in.\n')
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, actions: [{ parameters: [parameter] }] })
  })

  it('refuses a connection that is not there, and a file that cannot be written', async () => {
    const service = await shared.empty()
    await createConnection(service, 'Shop')
    const run = async (...args: string[]) =>
      jsonOf(await runCli(['export', ...args, '--json', '--data', service.data]))
    expect(await run('Nobody')).toMatchObject({ code: 'connection_not_found' })
    const folder = join(temporaryFolder(), 'folder')
    mkdirSync(folder)
    expect(await run('Shop', '--output', folder)).toMatchObject({ ok: false, code: 'file_exists' })
    expect(await run('Shop', '--output', folder, '--force')).toMatchObject({ code: 'invalid_input' })
  })
})

describe('import --update', () => {
  const shop = (actions: object[]) => JSON.stringify({ connection: { name: 'Shop' }, actions })
  const find = { name: 'Find', description: 'Finds.', path: '/find' }
  const before = shop([find, { ...find, name: 'Old', path: '/old' }])
  const after = shop([
    { ...find, description: 'Finds an order.' },
    { ...find, name: 'New', path: '/new' },
  ])

  it('shows the difference with --dry-run and exits 3, then takes it, and exits 0', async () => {
    const service = await shared.empty()
    const data = ['--data', service.data, '--connection', 'Shop']
    await runCli(['import', '-', '--data', service.data], { stdin: before })
    const update = (...more: string[]) =>
      runCli(['import', '-', '--update', ...more, ...data], { stdin: after })
    const dry = await update('--dry-run')
    expect(dry).toMatchObject({ code: 3, stderr: '' })
    expect(dry.stdout).toBe(
      [
        '+ new (new)',
        '~ find (find)',
        '    description: "Finds." → "Finds an order."',
        '- old (old), would be switched off',
        '3 changes would be made.',
        '0 unchanged.',
        '',
      ].join('\n'),
    )
    const json = await update('--dry-run', '--json')
    expect(json.code).toBe(3)
    expect(jsonOf(json)).toMatchObject({ ok: true, added: [{ name: 'new' }], removed: [{ name: 'old' }] })
    const done = await update('--json')
    expect(done.code).toBe(0)
    expect(jsonOf(done)).toMatchObject({ ok: true, added: ['new'], changed: ['find'], disabled: ['old'] })
    const again = await update('--dry-run')
    expect(again).toMatchObject({ code: 0, stdout: 'Nothing would change.\n2 unchanged.\n' })
  })

  it('takes the last update back with --undo, once', async () => {
    const service = await shared.empty()
    const data = ['--data', service.data]
    await runCli(['import', '-', ...data], { stdin: before })
    await runCli(['import', '-', '--update', '--connection', 'Shop', ...data], { stdin: after })
    const undo = ['import', '--undo', '--connection', 'Shop', ...data]
    expect(await runCli(undo)).toMatchObject({ code: 0, stdout: 'The last update is taken back.\n' })
    const { stdout } = await runCli(['list', 'actions', 'Shop', ...data])
    expect(stdout).toMatch(/^find +on/m)
    expect(stdout).toMatch(/^old +on/m)
    expect(stdout).not.toMatch(/^new /m)
    expect(jsonOf(await runCli([...undo, '--json']))).toMatchObject({ code: 'nothing_to_undo' })
    for (const wrong of [
      ['import', '--undo', ...data],
      [...undo, '--update'],
      [...undo, '--dry-run'],
    ])
      expect(await runCli(wrong)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('only --connection'),
      })
  })

  it('fetches the address that was kept, and needs a connection', async () => {
    const service = await shared.empty()
    const answers = [before, before, after, after]
    const { url } = await serve((_request, response) => response.end(answers.shift()))
    const { data } = service
    await runCli(['import', '--url', `${url}/shop.json`, '--data', data])
    const update = ['import', '--update', '--data', data, '--connection', 'Shop']
    expect(await runCli([...update, '--dry-run'])).toMatchObject({ code: 0 })
    expect((await runCli(update)).stdout).toContain('Added 1, changed 1, switched off 1.')
    expect(await runCli(['import', '--update', '--data', data])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--connection'),
    })
  })
})
