import { expect, test } from 'vitest'
import { rateLimitOfDraft, rateLimitWords } from '#renderer/features/connections/sign-in/rate-limit-draft.ts'
import type { EnvironmentVariable, VariableTrial } from '#shared/model/environment-variable.ts'
import {
  authOfDraft,
  carriedText,
  madeName,
  madeOf,
  neededVariables,
  type SignInDraft,
  type SignInRecord,
  signInDraftOf,
  signInProblems,
} from '../../../src-renderer/features/connections/sign-in/sign-in-draft.ts'
import { checksOf, remedyOf } from '../../../src-renderer/features/connections/sign-in/sign-in-trial.ts'

const variable = (name: string, more: Partial<EnvironmentVariable> = {}): EnvironmentVariable => ({
  name,
  sources: ['settings'],
  kind: 'value',
  usedBy: [],
  ...more,
})
const basic = { user: 'maya', passwordVariable: 'PASSWORD' }
const oauth2 = {
  tokenUrl: 'https://auth.example.com/token',
  clientId: 'shop',
  secretVariable: 'SECRET',
  scope: 'read',
  clientAuth: 'body' as const,
}
const variables = [
  variable('TOKEN'),
  variable('PAIR', { kind: 'basic', basic }),
  variable('MADE', { kind: 'oauth2', oauth2 }),
  variable('SECRET'),
  variable('PASSWORD', { sources: [] }),
]

function record(auth: SignInRecord['auth'], name = 'Acme Orders'): SignInRecord {
  const nothing = { previousSecretExpiresAt: null, oldSecretsExpireAt: [], oldSenderSecretsExpireAt: [] }
  return {
    ...{ connectionId: 'conn_1', workspaceId: 'default', name, auth, variables, ...nothing },
    ...{ baseUrl: null, persistEvents: false, enabled: true, timeoutMs: 1000, ignoreRepeats: false },
    ...{ retention: { maxEvents: 1, maxDays: 1 }, sender: { scheme: 'custom-connection' } },
    ...{
      hasSenderSecret: false,
      rateLimit: null,
      pausedUntil: null,
      actionCount: 0,
      eventTypeCount: 0,
      createdAt: '',
      updatedAt: '',
    },
  }
}
const inHeader = (value: string, name = 'Authorization') => ({ in: 'header' as const, name, value })

test.each([
  ['none', null],
  ['bearer', inHeader('Bearer {{TOKEN}}')],
  ['bearer', inHeader('Bearer {{UNKNOWN}}')],
  ['basic', inHeader('Basic {{PAIR}}')],
  ['oauth2', inHeader('Bearer {{MADE}}')],
  ['key', inHeader('Basic {{TOKEN}}')],
  ['key', inHeader('Token {{TOKEN}}')],
  ['key', inHeader('{{TOKEN}}', 'X-Key')],
  ['key', { in: 'query' as const, name: 'key', value: '{{TOKEN}}-{{SECRET}}' }],
])('a sign-in is read as %s and written as it was: %j', (kind, auth) => {
  const saved = record(auth)
  const draft = signInDraftOf(saved)
  expect(draft.kind).toBe(kind)
  expect(signInProblems(draft, saved)).toEqual({})
  expect(authOfDraft(draft, saved)).toEqual(auth)
  if (kind === 'basic') expect(madeOf(draft)).toEqual({ basic })
  if (kind === 'oauth2') expect(madeOf(draft)).toEqual({ oauth2 })
})

test.each([
  [null, { isLimited: false, calls: 10, perSeconds: 1 }, 'No'],
  [{ calls: 1, perSeconds: 1 }, { isLimited: true, calls: 1, perSeconds: 1 }, '1 call a second'],
  [{ calls: 1000, perSeconds: 60 }, { isLimited: true, calls: 1000, perSeconds: 60 }, '1,000 calls in 60 s'],
])('a rate limit %j is read and written as it was', (rateLimit, fields, words) => {
  const saved = { ...record(null), rateLimit }
  const draft = signInDraftOf(saved)
  expect(draft).toMatchObject(fields)
  expect(signInProblems(draft, saved)).toEqual({})
  expect(rateLimitOfDraft(draft)).toEqual(rateLimit)
  if (rateLimit !== null) expect(rateLimitWords(rateLimit)).toBe(words)
})

test('a rate limit has problems at its numbers, unless it is switched off', () => {
  const saved = record(null)
  const draft = { ...signInDraftOf(saved), isLimited: true, calls: '', perSeconds: 3601 }
  expect(signInProblems(draft, saved)).toEqual({
    calls: 'Allow 1 to 10,000 calls.',
    perSeconds: 'Choose 1 to 3,600 seconds.',
  })
  expect(signInProblems({ ...draft, isLimited: false }, saved)).toEqual({})
})

test('a made variable is named after the connection, and by a name that is free', () => {
  expect(madeName('oauth2', record(null))).toBe('ACME_ORDERS_TOKEN')
  expect(madeName('basic', record(null, 'Überall 24/7'))).toBe('U_BERALL_24_7_BASIC')
  expect(madeName('basic', record(null, '7 days'))).toBe('_7_DAYS_BASIC')
  expect(madeName('basic', record(null, '日本'))).toBe('CALLS_BASIC')
  const taken = {
    ...record(null),
    variables: [variable('ACME_ORDERS_TOKEN'), variable('ACME_ORDERS_TOKEN_2')],
  }
  expect(madeName('oauth2', taken)).toBe('ACME_ORDERS_TOKEN_3')
  expect(madeName('basic', record(inHeader('Bearer {{MADE}}')))).toBe('ACME_ORDERS_BASIC')
})

test('a draft without its parts has a problem at each', () => {
  const saved = record(null)
  const empty = (kind: SignInDraft['kind']) => signInProblems({ ...signInDraftOf(saved), kind }, saved)
  expect(Object.keys(empty('none'))).toEqual([])
  expect(Object.keys(empty('bearer'))).toEqual(['tokenVariable'])
  expect(Object.keys(empty('basic'))).toEqual(['passwordVariable', 'user'])
  expect(Object.keys(empty('key'))).toEqual(['keyValue'])
  expect(Object.keys(empty('oauth2'))).toEqual(['secretVariable', 'tokenUrl', 'clientId'])
})

test('what calls carry is shown without values', () => {
  const of = (auth: SignInRecord['auth']) => carriedText(signInDraftOf(record(auth)))
  expect(of(null)).toBeNull()
  expect(of(inHeader('Token {{TOKEN}}'))).toBe('authorization: Token ••••••••••••')
  expect(of({ in: 'query', name: 'key', value: '{{TOKEN}}' })).toBe('?key=••••••••••••')
})

test('the checks of a trial name what is set, what the server answered, and how long a token lasts', () => {
  const draft = signInDraftOf(record(inHeader('Bearer {{MADE}}')))
  const states = (trial?: VariableTrial) =>
    checksOf(draft, variables, trial).map(({ name, state }) => `${name} ${state}`)
  const trial = (more: Partial<VariableTrial>): VariableTrial => ({
    ...{ ok: false, status: 401, error: 'invalid_client', expiresInSeconds: null },
    ...more,
  })
  expect(neededVariables(draft)).toEqual(['SECRET'])
  expect(states()).toEqual(['Variable passed'])
  expect(states(trial({}))).toEqual([
    'Address passed',
    'Variable passed',
    'Answer failed',
    'Lasts not_reached',
  ])
  expect(states(trial({ ok: true, status: 200, error: null, expiresInSeconds: 90 }))).toEqual([
    ...['Address passed', 'Variable passed', 'Answer passed', 'Lasts passed'],
  ])
  expect(states(trial({ status: null, error: 'blocked_address' }))).toEqual([
    ...['Address failed', 'Variable passed', 'Answer not_reached', 'Lasts not_reached'],
  ])
  expect(remedyOf(trial({}), draft)).toMatchObject({ triesOtherWay: true })
  expect(remedyOf(trial({ ok: true }), draft)).toBeNull()
  expect(remedyOf(trial({ status: 302, error: null }), draft)?.title).toBe('The token server redirects')
  const password = signInDraftOf(record(inHeader('Basic {{PAIR}}')))
  expect(checksOf(password, variables, undefined)).toMatchObject([
    { state: 'failed', found: '`PASSWORD` is not set' },
  ])
})
