import { expect } from 'vitest'
import { csrfHeader } from '#main/http/authorization.ts'
import { http } from '../http/http.ts'
import { backupLink, type SessionHeaders, signIn } from '../support/rpc-client.ts'
import type { ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, sharedNodes, test, withOther } from './open-nodes.ts'

const takeNodes = sharedNodes()

const headers = { [csrfHeader.name]: csrfHeader.value, 'content-type': 'application/json' }

/** Returns a session as the browser sends it to a node. Behind a load balancer, the port is the same for all nodes. */
function at({ dashboardUrl }: ServiceFixture, session: SessionHeaders): SessionHeaders {
  return { ...session, cookie: session.cookie.replace(/_\d+=/, `_${new URL(dashboardUrl).port}=`) }
}

async function isSignedIn(node: ServiceFixture, session: SessionHeaders): Promise<boolean> {
  const { text } = await http(node.dashboardUrl, { path: '/session', headers: { ...at(node, session) } })
  return JSON.parse(text).authorized
}

const signOut = (node: ServiceFixture, session: SessionHeaders) =>
  http(node.dashboardUrl, {
    method: 'DELETE',
    path: '/session',
    headers: { ...headers, ...at(node, session) },
  })

/** Opens the live stream of a node's dashboard. Returns a promise that rejects when the stream is cut off. */
async function follow(
  node: ServiceFixture,
  session: SessionHeaders,
): Promise<{ readonly over: Promise<unknown> }> {
  const answer = await fetch(`${node.dashboardUrl}/rpc/live/follow`, {
    method: 'POST',
    body: '{"json":{}}',
    headers: { ...headers, ...at(node, session) },
  })
  expect(answer.status).toBe(200)
  const reader = answer.body?.getReader()
  await reader?.read()
  const over = (async () => {
    while ((await reader?.read())?.done === false);
  })()
  over.catch(() => {})
  return { over }
}

test('a browser that has signed in on one node is signed in on all, until it signs out on any', async () => {
  const [a, b] = await takeNodes()
  const session = await signIn(a.dashboardUrl)
  const other = await signIn(b.dashboardUrl)
  expect([await isSignedIn(a, session), await isSignedIn(b, session)]).toEqual([true, true])
  await signOut(b, session)
  expect([await isSignedIn(a, session), await isSignedIn(b, session)]).toEqual([false, false])
  expect(await isSignedIn(a, other)).toBe(true)
})

test("signing out on one node ends the streams on all, and nobody else's", async () => {
  const [a, b] = await takeNodes()
  const [session, other] = [await signIn(a.dashboardUrl), await signIn(a.dashboardUrl)]
  const streams = [await follow(a, session), await follow(b, session)]
  const otherStream = await follow(a, other)
  let isOver = false
  otherStream.over.catch(() => {
    isOver = true
  })
  await signOut(b, session)
  for (const { over } of streams) await expect(over).rejects.toThrow()
  expect(isOver).toBe(false)
  await signOut(b, other)
  await expect(otherStream.over).rejects.toThrow()
})

test('a session ends in time on all nodes', async () => {
  const [a, b] = await openTwoNodes({}, storage => {
    const { sessions } = storage
    return { ...storage, sessions: withOther(sessions, { add: digest => sessions.add(digest, 20) }) }
  })
  const session = await signIn(a.dashboardUrl)
  await expect
    .poll(async () => [await isSignedIn(a, session), await isSignedIn(b, session)])
    .toEqual([false, false])
})

test('a download link of one node works once, on another', async () => {
  const [a, b] = await takeNodes()
  const session = await signIn(a.dashboardUrl)
  const followLink = async (node: ServiceFixture, path: string, cookie = at(node, session).cookie) => {
    const { status, body } = await fetch(`${node.dashboardUrl}/${path}`, { headers: { cookie } })
    await body?.cancel()
    return status
  }
  const path = await backupLink(a.dashboardUrl, session)
  const attempts = await Promise.all([b, a, b, a].map(node => followLink(node, path)))
  expect(attempts.toSorted()).toEqual([200, 410, 410, 410])
  const next = await backupLink(a.dashboardUrl, session)
  const other = at(b, await signIn(a.dashboardUrl))
  expect(await followLink(b, next, other.cookie)).toBe(410)
  expect(await followLink(b, next)).toBe(200)
  const last = await backupLink(b.dashboardUrl, at(b, session))
  await signOut(b, session)
  expect(await followLink(a, last)).toBe(410)
})
