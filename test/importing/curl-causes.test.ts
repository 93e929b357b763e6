import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { recognizeFormat } from '#main/importing/recognize.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { HttpStep } from '#shared/workflows/steps/http.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const preview = (text: string) => previewImport(newConfig(nowMs), read(text, 'curl'), newConnection)
const url = 'https://api.example.com/a'

describe('a body that is not JSON is imported disabled, with the cause and its place:', () => {
  const trailing = 'it is not valid JSON: remove this trailing comma: no value follows it before the }'
  const lostQuotes =
    'the shell removes its inner quotation marks, so it is not JSON: put the whole body in single quotes'
  test.each<[string, string, [place: string, reason: string][]]>([
    ['text', `-d hello`, [['1:35', 'it is neither JSON nor a form, and has no Content-Type']]],
    ['a trailing comma', `-d '{"a":1,}'`, [['1:42', trailing]]],
    ['a trailing comma on another line', `-d '{\n  "a": 1,\n  "b": 2,\n}'`, [['3:9', trailing]]],
    ['a trailing comma after escapes', `-d "{\\"a\\":1,}"`, [['1:44', trailing]]],
    ['a trailing comma without a space before it', `-d'{"a":1,}'`, [['1:41', trailing]]],
    ['a trailing comma in a second part', `--json '{"a":' --json '1,}'`, [['1:56', trailing]]],
    [
      'placeholders and a trailing comma',
      `-H 'Content-Type: application/json' -d '{"a":{{amount}},}'`,
      [
        ['1:77', 'it is not valid JSON: {{amount}} is a placeholder. Write an example value'],
        ['1:87', trailing],
      ],
    ],
    [
      'a placeholder in angle brackets',
      `-d '{"a": <amount>}'`,
      [['1:42', 'it is not valid JSON: <amount> is a placeholder. Write an example value']],
    ],
    [
      'a variable of the shell',
      `-d "{\\"a\\": $AMOUNT}"`,
      [['1:44', 'it is not valid JSON: $AMOUNT is a placeholder. Write an example value']],
    ],
    [
      'typographic quotation marks',
      `-d '{“a”:1}'`,
      [['1:37', 'it is not valid JSON: write strings in double quotes ("), not in typographic quotes (“ ”)']],
    ],
    [
      'text that is declared as JSON',
      `-H 'Content-Type: application/json' -d amount=1`,
      [
        [
          '1:71',
          'it is not valid JSON: the document must start with { or [, but there is other text before it',
        ],
      ],
    ],
    ['double quotes in double quotes', `-d "{"a":1}"`, [['1:37', lostQuotes]]],
    ['doubled double quotes', `-d "{""a"":1}"`, [['1:37', lostQuotes]]],
    ['double quotes without others', `-d {"a":1}`, [['1:36', lostQuotes]]],
    ['double quotes next to the option', `-d"{"a":1}"`, [['1:36', lostQuotes]]],
    [
      'quotes around quotes',
      `-d '"{"a":1}"'`,
      [['1:36', 'it is in quotation marks twice: remove the double ones around it']],
    ],
    [
      'backslashes in single quotes',
      `-d '{\\"a\\":1}'`,
      [['1:37', 'it is not valid JSON: in single quotes, write no backslash before a quotation mark']],
    ],
    [
      'two JSON bodies',
      `-d '{"a":1}' -d '{"b":2}'`,
      [['1:48', 'curl joins the values of several options with &, so it is not JSON']],
    ],
  ])('%s', (_name, options, expected) => {
    const { valid, details, unsupported } = preview(`curl ${url} ${options}`)
    expect(valid).toBe(true)
    expect(details.actions).toMatchObject([{ method: 'POST', isEnabled: false }])
    expect(unsupported.map(one => [`${one.line}:${one.column}`, one.reason])).toEqual(
      expected.map(([place, reason]) => [place, `${reason}; the action is imported disabled`]),
    )
  })

  test.each([
    ['an empty one', `-d ''`],
    ['an empty one in JSON', `--json ''`],
    ['white space', `-d ' '`],
  ])('but not %s, which is a request without parameters', (_name, options) => {
    const { details, unsupported } = preview(`curl ${url} ${options}`)
    expect(details.actions).toMatchObject([{ method: 'POST', isEnabled: true }])
    expect(unsupported).toEqual([])
  })

  test('but not a placeholder in a string', () => {
    const { details, unsupported } = preview(`curl ${url} -d '{"a":"{{amount}}"}'`)
    expect(details.actions).toMatchObject([{ isEnabled: true }])
    expect(unsupported).toEqual([])
  })
})

describe('a host', () => {
  test.each([
    ['http://[::1]:9/x', 'http://[::1]:9'],
    ['[::1]:9/x', 'http://[::1]:9'],
    ['https://[2001:db8::1]/x', 'https://[2001:db8::1]'],
    ['https://me:pw@[2001:db8::1]:8443/x', 'https://[2001:db8::1]:8443'],
  ])('may be an IPv6 address: %s', (given, baseUrl) => {
    const { valid, connection, details } = preview(`curl '${given}?a=1'`)
    expect(valid).toBe(true)
    expect(connection?.baseUrl).toBe(baseUrl)
    expect(details.actions).toMatchObject([{ path: '/x', isEnabled: true }])
  })

  test.each([
    'https://me:canary@api.example.com/a',
    'me:canary@api.example.com/a',
    'https://me:can@ary@api.example.com/a',
    'https://me@api.example.com/a',
    'https://$USER:$PASSWORD@api.example.com/a',
    'https://{{user}}:{{canary}}@api.example.com/a',
  ])('may follow a user and a password, which become a variable as with -u: %s', given => {
    const { valid, connection, environmentVariables } = preview(`curl "${given}"`)
    expect(valid).toBe(true)
    expect(connection?.baseUrl).toMatch(/^https?:\/\/api\.example\.com$/)
    expect(environmentVariables).toMatchObject([{ name: 'API_EXAMPLE_COM_BASIC_AUTH' }])
    expect(JSON.stringify(read(`curl "${given}"`, 'curl').content)).not.toContain('can')
  })

  test.each([
    ['https://{{host}}/a', 'The host of the URL has a placeholder. Write it out.'],
    [
      'https://api.example.com/[1-3]',
      'The URL has a placeholder or a pattern, but the path of an action is fixed. Write it out.',
    ],
    [
      'https://me:pw@$HOST/a',
      'The shell fills in a part of the URL, but the path of an action is fixed. Write it out.',
    ],
    ['https://[::g]/a', 'This is not a URL.'],
  ])('that is not known is an error: %s', (given, message) => {
    expect(preview(`curl "${given}"`).issues).toMatchObject([{ severity: 'error', message }])
  })

  test('of an http step may not follow a user and a password', () => {
    const step = { type: 'http', key: 'call', method: 'GET', url: 'https://me:pw@api.example.com/a' }
    expect(HttpStep.safeParse(step).error?.issues.map(({ message }) => message)).toContain(
      'Remove the user name and password from the URL. Use an Authorization header with a variable instead.',
    )
  })
})

describe('what is before curl', () => {
  test.each([
    'sudo curl',
    'sudo -u www-data curl',
    '/usr/bin/time curl',
    'time -p curl',
    'TOKEN=x curl',
    'A=b C=d sudo curl',
    'env A=b curl',
    'nohup curl',
    'timeout 5 curl',
    '! curl',
    '$ curl',
    '$ sudo curl',
    '# curl',
    'user@host:~$ curl',
    '[user@host ~]$ curl',
    '➜  ~ curl',
    '/usr/bin/curl',
    'C:\\Windows\\System32\\curl.exe',
    'export A=b; curl',
    'if true; then curl',
  ])('does not matter: %s', before => {
    const end = before.startsWith('if') ? '; fi' : ''
    const text = `${before} ${url} -d '{"a":1}'${end}`
    expect(preview(text).details.actions).toMatchObject([{ method: 'POST', path: '/a', isEnabled: true }])
    expect(recognizeFormat(text)).toEqual({ format: 'curl' })
  })

  test.each([
    [
      'docker run --rm curlimages/curl https://a.example',
      '1:17 Here, curl is an argument of docker. Paste only the part that starts with curl.',
    ],
    [
      'kubectl exec pod -- curl https://a.example',
      '1:21 Here, curl is an argument of kubectl. Paste only the part that starts with curl.',
    ],
    [
      'echo "$(curl https://a.example)"',
      '1:9 This curl is in quotes, in a comment or in a substitution such as $(…). Paste only the command that starts with curl.',
    ],
    [
      `bash -c 'curl https://a.example'`,
      '1:10 This curl is in quotes, in a comment or in a substitution such as $(…). Paste only the command that starts with curl.',
    ],
    ['wget https://a.example', '1:1 There is no curl command in the text.'],
  ])('is named where it matters: %s', (text, expected) => {
    const { valid, issues } = preview(text)
    expect(valid).toBe(false)
    expect(issues.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([expected])
  })
})
