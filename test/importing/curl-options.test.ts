import { describe, expect, test } from 'vitest'
import { read } from './fixtures.ts'

const imported = (rest: string) => {
  const { content, omissions, problems } = read(`curl https://api.example.com/parcels ${rest}`, 'curl')
  const fields = content?.actions[0]?.fields
  return { ...fields, left: omissions.map(({ name }) => name), notes: problems.map(({ message }) => message) }
}

describe('--url-query', () => {
  test('gives the parameters of a GET', () => {
    const { isEnabled, path, parameters, left } = imported(
      `--url-query 'depot=north side' --url-query limit=5`,
    )
    expect({ isEnabled, path, left }).toEqual({ isEnabled: true, path: '/parcels', left: [] })
    expect(parameters).toMatchObject([
      { name: 'depot', type: 'string' },
      { name: 'limit', type: 'number' },
    ])
  })

  test('is in the path of other methods, encoded as curl does', () => {
    const { path, isEnabled } = imported(
      `-X POST --url-query 'a=b &c' --url-query '=d e' --url-query '+f=%20'`,
    )
    expect({ path, isEnabled }).toEqual({ path: '/parcels?a=b%20%26c&d%20e&f=%20', isEnabled: true })
  })

  test.each(['@file', 'name@file'])('of a file, %s, switches the action off', value => {
    expect(imported(`--url-query ${value}`)).toMatchObject({ isEnabled: false, left: ['query'] })
    expect(imported(`-G --data-urlencode ${value}`)).toMatchObject({ isEnabled: false, left: ['query'] })
  })

  test('that the shell fills in gives a parameter of other methods too', () => {
    for (const value of ['"id=$ID"', '"id=$(date)"', '"id=`date`"'])
      for (const method of ['GET', 'POST'])
        expect(imported(`-X ${method} --url-query ${value}`)).toMatchObject({
          isEnabled: true,
          parameters: [{ name: 'id' }],
        })
  })
})

describe('a parameter keeps its name in the request', () => {
  test.each([
    [`--url-query '$filter=open'`, { name: 'filter', wireName: '$filter' }],
    [`--url-query '=north side'`, { name: 'north_side', wireName: 'north side' }],
    [`--json '{"first name":"Ada"}'`, { name: 'first_name', wireName: 'first name' }],
  ])('%s', (rest, parameter) => {
    expect(imported(rest)).toMatchObject({ isEnabled: true, left: [], parameters: [parameter] })
  })

  test('a field that is null lacks nothing', () => {
    expect(imported(`--json '{"code":null,"note":"x"}'`)).toMatchObject({ isEnabled: true })
  })
})

describe('an option that changes the request switches the action off, with a reason', () => {
  test.each([
    ...[
      '--unix-socket /run/depot.sock',
      '--abstract-unix-socket depot',
      '--aws-sigv4 aws:amz:eu:execute-api',
    ],
    ...['-x http://proxy:3128', '--proxy http://proxy', '--socks5 proxy', '--preproxy http://p', '-p'],
    ...[
      '--resolve api.example.com:443:10.0.0.1',
      '--connect-to ::other:443',
      '--interface eth1',
      '--doh-url https://d',
    ],
    ...[
      '-n',
      '--netrc',
      '--netrc-file f',
      '--netrc-optional',
      '--digest',
      '--ntlm',
      '--negotiate',
      '--anyauth',
    ],
    ...['-E client.pem', '--cert client.pem', '--key k.pem', '--pinnedpubkey sha256//x', '--crlfile c'],
    ...['--path-as-is', '--request-target /x', '-C 5', '-z "1 Jan"', '--etag-compare e', '-K options.txt'],
    ...[
      '--variable a=b',
      '--expand-header "X-A: {{a}}"',
      '--proto-default ftp',
      '--proto =ftp',
      '--hsts f',
      '--alt-svc f',
    ],
    ...[
      '-b cookies.txt',
      '-H @headers.txt',
      '--crlf',
      '-a',
      '-B',
      '--haproxy-protocol',
      '--ipfs-gateway https://g',
    ],
    ...['--frobnicate', '--frobnicate=1', '--no-frobnicate', '-V', '--help'],
    ...['-H "Content-Type: $(type)"', '-H "$(headers)"'],
    ...['-H "Host: other.example"', '-H "Upgrade: websocket"', '-H "X-Service-Id: 1"', '-H "X Y: 1"'],
    ...['-F a=b -d c', '-d @file', '-X POST --data-urlencode a@file', '-G -d @file', '-G -d api_key=x'],
  ])('%s', option => {
    const { isEnabled, left } = imported(option)
    expect(isEnabled).toBe(false)
    expect(left).not.toEqual([])
  })

  test('in words', () => {
    const { omissions } = read('curl --unix-socket /var/run/depot.sock http://localhost/parcels', 'curl')
    expect(omissions).toMatchObject([
      {
        name: 'option --unix-socket',
        reason: 'the command calls a local socket, not the host of its URL; the action is imported disabled',
      },
    ])
  })
})

describe('an option of output, time, retry or transport changes nothing', () => {
  test.each([
    ...[
      '-o f',
      '-O',
      '-J',
      '-D h',
      '-c jar',
      '-w "%{http_code}"',
      '-sS',
      '-v',
      '-i',
      '-f',
      '--fail-with-body',
    ],
    ...[
      '-m 5',
      '--connect-timeout 5',
      '--limit-rate 1M',
      '-Y 1',
      '-y 1',
      '--keepalive-time 2',
      '--no-keepalive',
    ],
    ...['--retry 3', '--retry-delay 1', '--retry-all-errors', '--retry-connrefused', '--retry-max-time 9'],
    ...[
      '--compressed',
      '-L',
      '--location-trusted',
      '--http2',
      '--http1.1',
      '-4',
      '-6',
      '-g',
      '-q',
      '--basic',
    ],
    ...[
      '--proto "=https" --tlsv1.2',
      '--tls-max 1.3',
      '--noproxy "*"',
      '--no-progress-meter',
      '-Z',
      '--create-dirs',
    ],
    ...[
      '--no-insecure',
      '--no-location',
      '--no-netrc',
      '-b ""',
      '-H "Content-Length: 3"',
      '-H "Connection: close"',
    ],
    ...['-H "Host: api.example.com"', '-A agent', '-e https://example.com'],
  ])('%s', option => {
    expect(imported(option)).toMatchObject({ isEnabled: true, path: '/parcels', parameters: [] })
  })

  test.each(['-k', '--cacert ca.pem'])('%s is named, because calls are stricter without it', option => {
    const { isEnabled, notes } = imported(option)
    expect(isEnabled).toBe(true)
    expect(notes.join()).toContain(`The option ${option.split(' ')[0]} is ignored: `)
  })
})

test('--range is a header, and so is one without a value', () => {
  expect(imported('-r 0-99')).toMatchObject({ isEnabled: true, headers: { Range: 'bytes=0-99' } })
  expect(imported("-H 'X-Empty;'")).toMatchObject({ isEnabled: true, headers: { 'X-Empty': '' } })
})

test('a credential that the shell creates becomes a variable', () => {
  for (const option of ['-H "Authorization: Bearer $(cat t)"', '--oauth2-bearer "`cat t`"'])
    expect(imported(option)).toMatchObject({
      isEnabled: true,
      headers: { Authorization: expect.stringMatching(/^Bearer \{\{\w+_TOKEN\}\}$/) },
    })
})
