import { once } from 'node:events'
import { connect } from 'node:net'
import { expectedCode, type FuzzedRequest, type OracleWorld } from './inbound-oracle.ts'
import { type FuzzedAccount, fuzzRequest, requestBytes } from './inbound-requests.ts'
import type { Random } from './random.ts'

export type FuzzOptions = {
  readonly address: { readonly host: string; readonly port: number }
  readonly world: OracleWorld
  /** The accounts that requests are made for, disabled ones among them. */
  readonly accounts: readonly [FuzzedAccount, ...FuzzedAccount[]]
  readonly random: Random
  readonly requests: number
  /** The service's clock, in milliseconds since 1970. */
  readonly now: () => number
}

export type FuzzResult = {
  readonly answered: number
  /** By error code; `ok` are the accepted ones. */
  readonly codes: Readonly<Record<string, number>>
  /** At most ten answers that the oracle does not agree with, each with the request that got it. */
  readonly wrong: readonly string[]
}

/** Sends fuzzed requests over several kept-alive connections and compares each answer with the oracle. */
export async function fuzzInbound(options: FuzzOptions): Promise<FuzzResult> {
  const { world, accounts, random, now } = options
  const codes: Record<string, number> = {}
  const wrong: string[] = []
  let left = options.requests
  let answered = 0

  const send = async () => {
    let client = await openClient(options.address)
    while (left-- > 0 && wrong.length < 10) {
      const request = fuzzRequest(random, random.pick(accounts), now())
      const expected = expectedCode(request, world, now())
      let answer = await client.send(requestBytes(request))
      if (answer === null) {
        // A server may close a connection between two requests. A second time without an answer is a fault.
        client = await openClient(options.address)
        answer = await client.send(requestBytes(request))
      }
      const code = answer === null ? 'no answer' : codeOf(answer)
      answered++
      codes[code] = (codes[code] ?? 0) + 1
      if (!expected.split(' or ').includes(code)) wrong.push(describe(request, expected, answer ?? code))
      if (answer?.closes === true) client = await openClient(options.address)
    }
    client.close()
  }
  await Promise.all(Array.from({ length: 8 }, send))
  return { answered, codes, wrong }
}

type FuzzAnswer = { readonly status: number; readonly body: string; readonly closes: boolean }

function codeOf({ status, body }: FuzzAnswer): string {
  if (status === 200) return body === '{"ok":true}' ? 'ok' : `200 ${body}`
  const { ok, error, message } = JSON.parse(body)
  return ok === false && typeof message === 'string' ? String(error) : `${status} ${body}`
}

function describe(request: FuzzedRequest, expected: string, answer: FuzzAnswer | string): string {
  const bytes = requestBytes(request).toString('latin1')
  return `expected ${expected}, got ${JSON.stringify(answer)} for ${JSON.stringify(bytes.slice(0, 2000))}`
}

async function openClient({ host, port }: FuzzOptions['address']) {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  let received = Buffer.alloc(0)
  let take: ((answer: FuzzAnswer | null) => void) | null = null
  const settle = (answer: FuzzAnswer | null) => {
    take?.(answer)
    take = null
  }
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    const head = received.indexOf('\r\n\r\n')
    if (head === -1) return
    const fields = received.subarray(0, head).toString('latin1')
    const length = Number(/^content-length: (\d+)$/im.exec(fields)?.[1] ?? 0)
    if (received.length < head + 4 + length) return
    const body = received.subarray(head + 4, head + 4 + length).toString()
    received = received.subarray(head + 4 + length)
    settle({ status: Number(fields.slice(9, 12)), body, closes: /^connection: close$/im.test(fields) })
  })
  socket.on('error', () => settle(null))
  socket.on('close', () => settle(null))
  return {
    /** Resolves with null when the connection ends before an answer. */
    send(bytes: Buffer): Promise<FuzzAnswer | null> {
      if (socket.destroyed) return Promise.resolve(null)
      return new Promise(resolve => {
        take = resolve
        socket.write(bytes)
      })
    },
    close: () => void socket.destroy(),
  }
}
