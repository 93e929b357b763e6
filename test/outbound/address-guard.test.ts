import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockedAs } from '#main/outbound/address-guard.ts'
import { lookupIn, serve, startCaller } from './support.ts'

const metadata = [
  '169.254.169.254',
  '169.254.0.0',
  '169.254.255.255',
  '169.254.170.2',
  'fe80::1',
  'fe80::1%eth0',
  'febf:ffff::1',
  'fd00:ec2::254',
  'fd00:0ec2:0:0:0:0:0:254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  // Carried in IPv6.
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:a9fe:a9:fe00::',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  '2001:0:4136:e378:8000:63bf:5601:5601',
  'fe81::5efe:169.254.169.254',
  '2001:db8::5efe:a9fe:a9fe',
  '2001:db8::200:5efe:a9fe:a9fe',
]
const nowhere = [
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '224.0.0.1',
  '239.1.1.1',
  'ff02::1',
  '255.255.255.255',
  '::ffff:0.0.0.0',
]
const good = [
  '127.0.0.1',
  '127.255.0.9',
  '::1',
  '::ffff:127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '192.0.0.191',
  '169.253.255.255',
  '169.255.0.0',
  '100.100.100.201',
  '100.64.0.1',
  '168.63.129.17',
  '8.8.8.8',
  'fd00::1',
  'fd00:ec3::254',
  'fec0::1',
  'fe7f::1',
  '2606:4700::1111',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::8.8.8.8',
  '64:ff9b:1:808:8:800::',
  '2002:808:808::1',
]

describe('an address', () => {
  test.each(metadata)('%s is blocked', address => {
    expect(blockedAs(address)).toMatch(/metadata|link-local/)
  })

  test.each(nowhere)('%s is blocked', address => {
    expect(blockedAs(address)).not.toBeNull()
  })

  test.each(good)('%s is allowed', address => {
    expect(blockedAs(address)).toBeNull()
  })

  test.each(['', 'localhost', '1.2.3', '::g'])('is what %j is not, so it is blocked', text => {
    expect(blockedAs(text)).toBe('not an address')
  })

  test('of 169.254.0.0/16 is blocked in every spelling that a URL may have, and its neighbours in none', () => {
    const spellings = (a: number, b: number, c: number, d: number) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d
      const hex = (value: number) => value.toString(16)
      return [
        `${a}.${b}.${c}.${d}`,
        `${number}`,
        `0x${hex(number)}`,
        `0${number.toString(8)}`,
        `0x${hex(a)}.0x${hex(b)}.0x${hex(c)}.0x${hex(d)}`,
        `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
        `${a}.${b}.${c * 256 + d}`,
        `${a}.${(b * 256 + c) * 256 + d}`,
        `[::ffff:${a}.${b}.${c}.${d}]`,
        `[::FFFF:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
        `[64:ff9b::${a}.${b}.${c}.${d}]`,
        `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::]`,
        `${a}。${b}．${c}｡${d}`,
      ]
    }
    const hostOf = (text: string) => new URL(`http://${text}/`).hostname.replace(/^\[|\]$/g, '')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), (c, d) => {
        for (const text of spellings(169, 254, c, d)) expect(blockedAs(hostOf(text)), text).not.toBeNull()
        for (const text of spellings(169, 253, c, d)) expect(blockedAs(hostOf(text)), text).toBeNull()
      }),
    )
  })
})

describe('a call', () => {
  test.each([
    'http://169.254.169.254',
    'http://2852039166/latest',
    'https://0xa9fea9fe',
    'http://0251.0376.0251.0376:8080',
    'http://169.254.43518',
    'http://[::ffff:169.254.169.254]',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[fe80::1]',
    'http://[fd00:ec2::254]/v2',
    'http://0.0.0.0:1',
  ])('to %s is refused', async baseUrl => {
    const outcome = await startCaller().run(baseUrl, { path: '/latest/meta-data' })
    expect(outcome).toMatchObject({ ok: false, response: null, error: { code: 'blocked_address' } })
  })

  const addresses = {
    'metadata.example': ['169.254.169.254'],
    'mixed.example': ['127.0.0.1', '169.254.169.254'],
    'mixed6.example': ['::1', '::ffff:a9fe:a9fe'],
    'empty.example': [],
  }

  test.each(['metadata.example', 'mixed.example', 'mixed6.example'])(
    'to the name %s is refused',
    async name => {
      const { port, connections } = await serve((_request, response) => response.end())
      const outcome = await startCaller({ lookup: lookupIn(addresses) }).run(`http://${name}:${port}`)
      expect(outcome.error?.code).toBe('blocked_address')
      expect(outcome.error?.message).toMatch(new RegExp(`^${name} resolves to `))
      expect(connections()).toBe(0)
    },
  )

  test('to a name without addresses fails like an unknown name', async () => {
    const outcome = await startCaller({ lookup: lookupIn(addresses) }).run('http://empty.example')
    expect(outcome.error?.code).toBe('dns_failure')
  })

  test('goes to the checked address, and checks every new connection again', async () => {
    const { port, connections } = await serve((_request, response) => {
      response.setHeader('Connection', 'close')
      response.end('{}')
    })
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']]
    let asked = 0
    const caller = startCaller({ lookup: lookupIn({ 'rebinding.example': () => answers[asked++] ?? [] }) })
    const call = () => caller.run(`http://rebinding.example:${port}`)
    expect((await call()).ok).toBe(true)
    expect(asked).toBe(1)
    expect((await call()).error?.code).toBe('blocked_address')
    expect((await call()).ok).toBe(true)
    expect(asked).toBe(3)
    expect(connections()).toBe(2)
  })

  test('to loopback by name and by address is made', async () => {
    const { port } = await serve((_request, response) => response.end('{}'))
    const caller = startCaller()
    for (const host of ['localhost', '127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])
      expect((await caller.run(`http://${host}:${port}`)).ok, host).toBe(true)
  })

  test.each([301, 302, 303, 307, 308])('does not follow a %i', async status => {
    let elsewhere = 0
    const other = await serve((_request, response) => {
      elsewhere++
      response.end()
    })
    for (const location of ['http://169.254.169.254/latest/meta-data', `${other.url}/`, '/again']) {
      let requests = 0
      const { url } = await serve((_request, response) => {
        requests++
        response.writeHead(status, { Location: location }).end('moved')
      })
      const outcome = await startCaller().run(url, { method: 'POST', responseMapping: { a: 'b' } })
      expect(outcome).toMatchObject({
        ok: false,
        error: null,
        response: { status, headers: { location } },
        result: { result: 'moved' },
        mapped: null,
      })
      expect(requests).toBe(1)
    }
    expect(elsewhere).toBe(0)
  })

  test('goes past proxies named in environment variables', async () => {
    let proxied = 0
    const proxy = await serve((_request, response) => {
      proxied++
      response.end('"proxied"')
    })
    const { url } = await serve((_request, response) => response.end('"direct"'))
    const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy']
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, 'call-once.ts'), url, 'http://169.254.169.254'],
      {
        env: {
          ...process.env,
          NODE_USE_ENV_PROXY: '1',
          NO_PROXY: '',
          ...Object.fromEntries(variables.map(name => [name, proxy.url])),
        },
      },
    )
    expect(JSON.parse(stdout)).toEqual([{ result: 'direct' }, { code: 'blocked_address' }])
    expect(proxied).toBe(0)
  })
})
