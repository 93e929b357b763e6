import { describe, expect, test } from 'vitest'
import { createConnection } from '#main/connections/connections.ts'
import { readImport, runImportJob } from '#main/importing/import-job.ts'
import { applyImport, previewImport } from '#main/importing/imports.ts'
import { type SignInMode, signInAgain, signInOf } from '#main/importing/sign-in.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { ImportPreview } from '#shared/model/import-preview.ts'
import { countingRandom, now, nowMs } from '../connections/fixtures.ts'
import { newConnection } from './fixtures.ts'

const schemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  client: {
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl: 'https://auth.example.com/token', scopes: { read: 'Reads.' } } },
  },
  code: {
    type: 'oauth2',
    flows: { authorizationCode: { authorizationUrl: 'https://a.example', tokenUrl: 'https://a.example/t' } },
  },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example' },
  digest: { type: 'http', scheme: 'digest' },
}
type Name = keyof typeof schemes
const required = (...names: Name[]) => ({ security: [Object.fromEntries(names.map(name => [name, []]))] })

function documentOf(operation: object, rest: object = {}): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Acme', version: '1' },
    servers: [{ url: 'https://api.acme.example' }],
    components: { securitySchemes: schemes },
    paths: { '/a': { get: { operationId: 'a', ...operation } } },
    ...rest,
  })
}

function read(text: string, signIn?: SignInMode) {
  const parsed = readImport(text, 'openapi', null, {}, null, signIn && (() => signIn))
  const { connection, actions } = parsed.content ?? {}
  const auth = connection === 'faulty' ? null : (connection?.auth ?? null)
  return { parsed, auth, action: actions?.[0]?.fields }
}
const authorization = (value: string) => ({ in: 'header', name: 'Authorization', value })

describe('a new connection', () => {
  test.each<[Name, object]>([
    ['bearer', authorization('Bearer {{ACME_TOKEN}}')],
    ['basic', authorization('Basic {{ACME_BASIC_AUTH}}')],
    ['header', { in: 'header', name: 'X-Key', value: '{{ACME_X_KEY}}' }],
    ['query', { in: 'query', name: 'key', value: '{{ACME_KEY}}' }],
    ['client', authorization('Bearer {{ACME_TOKEN}}')],
    ['code', authorization('Bearer {{ACME_TOKEN}}')],
    ['openId', authorization('Bearer {{ACME_TOKEN}}')],
  ])('signs in with the scheme %s, and its actions carry nothing for it', (name, expected) => {
    const { auth, action } = read(documentOf(required(name)))
    expect(auth).toEqual(expected)
    expect(action).toMatchObject({ headers: null, parameters: [], isEnabled: true })
  })

  test('gets the first scheme that the document requires, wherever it is declared', () => {
    const text = documentOf({}, { security: [{ cookie: [] }, { basic: [] }] })
    expect(read(text).auth).toEqual(authorization('Basic {{ACME_BASIC_AUTH}}'))
    expect(read(documentOf({})).auth).toBeNull()
    expect(read(documentOf({ security: [{}, { bearer: [] }] })).auth).toBeNull()
  })

  test('gets the scheme and the variable that are asked for, or none', () => {
    const text = documentOf({}, { security: [{ bearer: [] }, { query: [] }] })
    const { auth, action } = read(text, { kind: 'connection', scheme: 'query', variable: 'MY_KEY' })
    expect(auth).toEqual({ in: 'query', name: 'key', value: '{{MY_KEY}}' })
    expect(action?.headers).toBeNull()
    expect(read(text, { kind: 'none' })).toMatchObject({ auth: null, action: { headers: null } })
  })

  test.each<Name>(['cookie', 'digest'])('cannot sign in with the scheme %s, so the action is off', name => {
    const { parsed, auth, action } = read(documentOf(required(name)))
    expect({ auth, isEnabled: action?.isEnabled }).toEqual({ auth: null, isEnabled: false })
    expect(parsed.omissions.map(({ part }) => part)).toEqual(['security'])
  })

  test('signs in beside the headers of another scheme, which a second operation needs', () => {
    expect(read(documentOf(required('bearer', 'header')))).toMatchObject({
      auth: authorization('Bearer {{ACME_TOKEN}}'),
      action: { headers: { 'X-Key': '{{ACME_X_KEY}}' } },
    })
    const { auth, action } = read(documentOf(required('basic'), { security: [{ header: [] }] }))
    expect(auth).toMatchObject({ name: 'X-Key' })
    expect(action?.headers).toEqual({ Authorization: 'Basic {{ACME_BASIC_AUTH}}' })
  })

  test.each<[Name, object]>([
    ['query', { name: 'key', in: 'query', required: true, schema: { type: 'string' } }],
    ['header', { name: 'x-key', in: 'header', required: true, schema: { type: 'string' } }],
  ])('signs in with the scheme %s, so no action asks for what it sends', (name, parameter) => {
    const text = documentOf({ ...required(name), parameters: [parameter] })
    expect(read(text).action).toMatchObject({ headers: null, parameters: [], isEnabled: true })
    const inActions = read(text, { kind: 'actions' }).action
    expect(inActions?.parameters.map(one => one.name)).toEqual(name === 'query' ? ['key'] : [])
  })
})

test('a preview offers the schemes that a connection can sign in with', () => {
  const { parsed } = read(documentOf(required('client')))
  const { auth, environmentVariables, valid } = previewImport(newConfig(nowMs), parsed, newConnection)
  expect(valid).toBe(true)
  expect(auth.map(({ scheme, variable, chosen }) => [scheme, variable, chosen])).toEqual([
    ['bearer', 'ACME_TOKEN', false],
    ['basic', 'ACME_BASIC_AUTH', false],
    ['header', 'ACME_X_KEY', false],
    ['query', 'ACME_KEY', false],
    ['client', 'ACME_TOKEN', true],
    ['code', 'ACME_TOKEN', false],
    ['openId', 'ACME_TOKEN', false],
  ])
  expect(auth.map(({ tokenUrl, scopes }) => [tokenUrl, scopes])[4]).toEqual([
    'https://auth.example.com/token',
    ['read'],
  ])
  expect(auth[5]?.tokenUrl).toBeNull()
  expect(environmentVariables).toEqual([{ name: 'ACME_TOKEN', host: 'api.acme.example' }])
})

test('reads the security definitions of Swagger', () => {
  const text = JSON.stringify({
    ...{ swagger: '2.0', info: { title: 'Acme' }, host: 'api.acme.example', schemes: ['https'] },
    securityDefinitions: {
      app: { type: 'oauth2', flow: 'application', tokenUrl: 'https://a.example/token', scopes: { r: '' } },
      key: { type: 'apiKey', in: 'query', name: 'key' },
    },
    security: [{ app: [] }],
    paths: { '/a': { get: { responses: {} } } },
  })
  const parsed = readImport(text, 'swagger', null)
  expect(parsed.auth).toMatchObject([
    { scheme: 'app', tokenUrl: 'https://a.example/token', scopes: ['r'], chosen: true },
    { scheme: 'key', in: 'query', name: 'key' },
  ])
})

test('a scheme that the document does not have is an error, also in a format without schemes', () => {
  const job = { kind: 'preview', placeholders: {}, choose: {}, variables: new Map(), baseUrl: null } as const
  const auth = { scheme: 'none' }
  const preview = (text: string, format: 'openapi' | 'curl') => {
    const given = { ...job, text, format, auth, target: newConnection, config: newConfig(nowMs) }
    const { valid, issues } = ImportPreview.parse(JSON.parse(runImportJob(given)))
    return { valid, errors: issues.filter(one => one.severity === 'error').map(({ message }) => message) }
  }
  const unknown = '"auth.scheme" is none, but the document has no such scheme to sign in with.'
  expect(preview(documentOf({}), 'openapi')).toEqual({
    valid: false,
    errors: [`${unknown} It has bearer, basic, header, query, client, code, openId.`],
  })
  expect(preview('curl https://a.example', 'curl').errors).toEqual([`${unknown} It has none.`])
})

describe('an existing connection', () => {
  const auth = { in: 'header' as const, name: 'authorization', value: 'Bearer {{MINE}}' }
  const text = documentOf(required('bearer'))

  function imported(own: Pick<ConnectionRecord, 'auth'>, asked?: Parameters<typeof signInOf>[0]) {
    const made = createConnection(newConfig(nowMs), { name: 'Acme', ...own }, now, countingRandom())
    const { parsed } = read(text, signInOf(asked, made.result))
    const { connectionId } = made.result
    const target = { connectionId, workspaceId: null, useAuth: asked != null }
    const { next } = applyImport(made.next, parsed, target, now, countingRandom())
    const record = next.connections.get(connectionId)
    return { auth: record?.auth, headers: record?.actions[0]?.headers }
  }

  test('keeps its own sign-in, which the new actions use', () => {
    expect(imported({ auth })).toEqual({ auth, headers: null })
    expect(imported({ auth }, null)).toEqual({ auth, headers: null })
  })

  test('without one gets none, so the new actions carry headers', () => {
    const headers = { Authorization: 'Bearer {{ACME_TOKEN}}' }
    expect(imported({})).toEqual({ auth: undefined, headers })
    expect(imported({}, null)).toEqual({ auth: undefined, headers: null })
  })

  test('gets the one that is asked for', () => {
    const asked = { scheme: 'bearer', variable: 'OTHER' }
    for (const own of [{}, { auth }])
      expect(imported(own, asked)).toEqual({
        auth: authorization('Bearer {{OTHER}}'),
        headers: null,
      })
  })

  test('signs in as before when the document is imported again', () => {
    const action = (headers: Record<string, string> | null) => ({
      headers,
      imported: { operation: 'GET /a' },
    })
    expect(signInAgain({ actions: [action(null)], auth })).toEqual({ kind: 'kept', auth })
    expect(signInAgain({ actions: [action({ A: '{{B}}' })] })).toEqual({ kind: 'actions' })
    expect(signInAgain({ actions: [action({ A: 'b' })] })).toEqual({ kind: 'none' })
  })
})
