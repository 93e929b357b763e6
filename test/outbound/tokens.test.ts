import { expect, test } from 'vitest'
import { createTokens, type TokenOutcome, type TokenRequest } from '#main/outbound/tokens.ts'

const request: TokenRequest = {
  tokenUrl: 'https://auth.example.com/token',
  clientId: 'shop',
  secret: 'the secret',
  clientAuth: 'basic',
}
const refused = { status: 401, error: 'invalid_client', message: 'auth.example.com answered 401.' }

/** Tokens whose server gives what a test lets it: it answers once `answer` is called. */
function start() {
  const clock = { now: 1_000_000 }
  const asked: { request: TokenRequest; answer: (outcome: TokenOutcome) => void }[] = []
  const tokens = createTokens({
    clock: () => clock.now,
    fetch: given => new Promise(resolve => asked.push({ request: given, answer: resolve })),
  })
  const answer = (outcome: TokenOutcome) => asked.at(-1)?.answer(outcome)
  return { tokens, clock, asked, answer }
}

async function got(
  { tokens, answer }: ReturnType<typeof start>,
  token: string,
  lifeMs = 3_600_000,
): Promise<void> {
  const waiting = tokens.get(request)
  answer({ token, lifeMs })
  expect(await waiting).toMatchObject({ token })
}

test('all who wait for a token get the same one, from one request', async () => {
  const { tokens, asked, answer } = start()
  const waiting = Array.from({ length: 50 }, () => tokens.get(request))
  expect(asked).toHaveLength(1)
  answer({ token: 'one', lifeMs: 60_000 })
  expect(new Set((await Promise.all(waiting)).map(found => 'token' in found && found.token))).toEqual(
    new Set(['one']),
  )
  expect(await tokens.get(request)).toMatchObject({ token: 'one' })
  expect(asked).toHaveLength(1)
})

test.each([
  ['an hour', 3_600_000, 3_540_000],
  ['five minutes', 300_000, 240_000],
  ['a minute, of which a fifth is less', 60_000, 48_000],
  ['no time at all', 0, 0],
])('a token that lasts %s is used until shortly before its end', async (_what, lifeMs, usedFor) => {
  const started = start()
  const { tokens, clock } = started
  await got(started, 'one', lifeMs)
  clock.now += Math.max(0, usedFor - 1)
  expect(tokens.current(request)).toBe(usedFor === 0 ? undefined : 'one')
  clock.now += 1
  expect(tokens.current(request)).toBeUndefined()
  await got(started, 'two', lifeMs)
  expect(started.asked).toHaveLength(2)
})

test('the time that the request took belongs to the life of a token', async () => {
  const { tokens, clock, answer } = start()
  const waiting = tokens.get(request)
  clock.now += 10_000
  answer({ token: 'one', lifeMs: 100_000 })
  await waiting
  expect(tokens.state(request)).toEqual({ expiresAt: 1_100_000, error: null })
})

test('a failure is kept for 10 seconds, and not by a trial', async () => {
  const { tokens, clock, asked, answer } = start()
  const first = tokens.get(request)
  answer(refused)
  expect(await first).toMatchObject(refused)
  clock.now += 9_999
  expect(await tokens.get(request)).toMatchObject(refused)
  expect(asked).toHaveLength(1)
  const trial = tokens.renew(request)
  answer(refused)
  await trial
  expect(asked).toHaveLength(2)
  expect(tokens.state(request)).toEqual({ expiresAt: null, error: refused.message })
  clock.now += 10_000
  const next = tokens.get(request)
  answer({ token: 'one', lifeMs: 60_000 })
  expect(await next).toMatchObject({ token: 'one' })
  expect(tokens.state(request)).toMatchObject({ error: null })
})

test('a refused token is dropped, unless another one has taken its place', async () => {
  const started = start()
  const { tokens } = started
  await got(started, 'one')
  tokens.drop('one')
  expect(tokens.current(request)).toBeUndefined()
  await got(started, 'two')
  tokens.drop('one')
  expect(tokens.current(request)).toBe('two')
})

test('another secret, scope or client is another token', async () => {
  const started = start()
  const { tokens, asked } = started
  await got(started, 'one')
  const others = [
    { secret: 'new' },
    { scope: 'read' },
    { audience: 'a' },
    { clientId: 'b' },
    { clientAuth: 'body' as const },
    { tokenUrl: 'https://auth.example.com/other' },
  ]
  for (const change of others) {
    expect(tokens.current({ ...request, ...change })).toBeUndefined()
    void tokens.get({ ...request, ...change })
  }
  expect(asked).toHaveLength(1 + others.length)
})

test('the latest tokens are remembered to be masked, and not without bound', async () => {
  const started = start()
  const { tokens } = started
  expect(tokens.remembered()).toBe(tokens.remembered())
  for (let index = 0; index < 120; index++) {
    await got(started, `token-${index}`)
    tokens.drop(`token-${index}`)
  }
  expect(tokens.remembered().length).toBeLessThanOrEqual(100)
  expect(tokens.remembered()).toContain('token-119')
  expect(tokens.remembered()).toContain('token-90')
})
