import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const preview = (text: string) => previewImport(newConfig(nowMs), read(text, 'curl'), newConnection)
const errors = (text: string) =>
  preview(text).issues.map(({ line, column, message }) => `${line}:${column} ${message}`)

const url = 'https://api.example.com/a'
const data = `-d '{"a":1}'`
const post = { toolName: 'post_a', method: 'POST', path: '/a', isEnabled: true }

describe('a command on several lines is read whole, however', () => {
  test.each([
    ['Bash', `curl ${url} \\\n  ${data}`],
    ['Windows line ends', `curl ${url} \\\r\n  ${data}\r\n`],
    ['old Mac line ends', `curl ${url} \\\r  ${data}\r`],
    ['doubled carriage returns', `curl ${url} \\\r\r\n  ${data}`],
    ['a space after the backslash', `curl ${url} \\ \n  ${data}`],
    ['tabs and Windows line ends after the backslash', `curl ${url} \\\t \t\r\n  ${data}`],
    ['a backslash after the last line', `curl ${url} \\\n  ${data} \\`],
    ['a backslash and white space after the last line', `curl ${url} \\\n  ${data} \\ \n \n`],
    ['a backslash within a word', `curl https://api.example.com/\\\na ${data}`],
    ['a byte order mark', `\ufeffcurl ${url} \\\n  ${data}`],
    ['Windows command prompt', `curl ${url} ^\r\n  -d "{\\"a\\":1}"`],
    ['Windows command prompt with a space after the ^', `curl.exe ${url} ^ \r\n  -d "{\\"a\\":1}" ^\r\n`],
    ['Windows command prompt without a space before the ^', `curl "${url}"^\n  -d "{\\"a\\":1}"`],
    ['PowerShell', `curl.exe ${url} \`\r\n  ${data}`],
    ['PowerShell with a space after the `', `curl.exe ${url} \` \r\n  ${data} \``],
    ['a missing backslash', `curl ${url}\n  ${data}`],
    ['two missing backslashes', `curl -X POST\n${url}\n${data}`],
    ['an empty line', `curl ${url} \\\n\n  ${data}`],
    ['a comment', `curl ${url} \\\n  # with a body\n  ${data}`],
    ['prompts', `$ curl ${url} \\\n> ${data}`],
    ['prompts of PowerShell', `PS C:\\Users\\me> curl.exe ${url} \`\n>> ${data}`],
    ['prompts of the Windows command prompt', `C:\\Users\\me>curl ${url} ^\nMore? ${data}`],
    ['backquotes around it', `\`curl ${url} ${data}\``],
    ['a quoted line break', `curl ${url} -d '{\r\n"a":1\r\n}'`],
  ])('%s', (_name, text) => {
    const { valid, details, connection } = preview(text)
    expect(valid).toBe(true)
    expect(connection?.baseUrl).toBe('https://api.example.com')
    expect(details.actions).toMatchObject([post])
    expect(read(text, 'curl').content?.actions[0]?.fields.parameters).toMatchObject([{ name: 'a' }])
  })

  test('says where a backslash is missing', () => {
    expect(errors(`curl ${url}\n  ${data}`)).toContain(
      '2:3 This line is imported as a part of the command. For a shell, add a backslash (\\) to the end of the line before it.',
    )
  })

  test('keeps what follows the command apart from it', () => {
    const steps = `curl ${url}\n- name: next\n`
    expect(preview(steps).details.actions).toMatchObject([{ method: 'GET', path: '/a', isEnabled: true }])
    const { details, issues } = preview(`curl ${url} \\\n  > out.json\ncurl https://other.example -d '{}'`)
    expect(details.actions).toMatchObject([{ method: 'GET', path: '/a', isEnabled: true }])
    expect(issues).toContainEqual(
      expect.objectContaining({
        line: 3,
        message: 'Only the first curl command is imported, not this one.',
      }),
    )
  })

  test.each([
    ['%TENANT% in the Windows command prompt', `curl ${url} ^\n -H "X-Tenant: %TENANT%"`],
    ['$env:TENANT in PowerShell', `curl.exe ${url} \`\n -H "X-Tenant: $env:TENANT"`],
  ])('makes a variable of %s', (_name, text) => {
    expect(preview(text).details.actions).toMatchObject([{ environmentVariables: ['TENANT'] }])
  })

  test('reads % of a URL encoding as it is, also before a ^', () => {
    expect(preview(`curl "https://api.example.com/K%C3%A4se%20x" ^\n -d "{}"`).actions.create).toHaveLength(1)
  })
})

describe('a character that only looks right is named with its place:', () => {
  const enDash = 'This is an en dash (–, U+2013). Write a hyphen (-), or two (--).'
  const quotes = (character: string, point: string) =>
    `This is a typographic quotation mark (${character}, U+${point}). Write " or '.`
  test.each([
    ['an en dash', `curl –X POST ${url} –d '{}'`, [`1:6 ${enDash}`, `1:40 ${enDash}`]],
    [
      'an em dash',
      `curl ${url} —data '{}'`,
      ['1:32 This is an em dash (—, U+2014). Write a hyphen (-), or two (--).'],
    ],
    [
      'a minus sign on a further line',
      `curl ${url}\n −d '{}'`,
      ['2:2 This is a minus sign (−, U+2212). Write a hyphen (-), or two (--).'],
    ],
    ['a dash after a hyphen', `curl -–data '{}' ${url}`, [`1:7 ${enDash}`]],
    ['a dash in the name of a header', `curl ${url} -H 'Content–Type: a/b'`, [`1:43 ${enDash}`]],
    ['a dash in a host', 'curl https://api–2.example.com/a', [`1:17 ${enDash}`]],
    [
      'quotation marks',
      `curl ${url} -H “A: b”`,
      [`1:35 ${quotes('“', '201C')}`, `1:40 ${quotes('”', '201D')}`],
    ],
    [
      'quotation marks around a body with an apostrophe in it',
      `curl ${url} -d ‘{"a":"it's"}’`,
      [`1:35 ${quotes('‘', '2018')}`, `1:48 ${quotes('’', '2019')}`],
    ],
    [
      'German quotation marks around the command',
      `„curl ${url}“`,
      [`1:1 ${quotes('„', '201E')}`, `1:32 ${quotes('“', '201C')}`],
    ],
    [
      'a non-breaking space',
      `curl\u00a0${url}`,
      ['1:5 This is a non-breaking space (U+00A0). Write an ordinary space.'],
    ],
    [
      'non-breaking spaces at the start of a line',
      `curl ${url} \\\n\u00a0\u00a0${data}`,
      ['2:1 This is a non-breaking space (U+00A0). Write an ordinary space.'],
    ],
    [
      'a non-breaking space after a backslash',
      `curl ${url} \\\u00a0\n ${data}`,
      ['1:33 This is a non-breaking space (U+00A0). Write an ordinary space.'],
    ],
    [
      'a full-width space',
      `curl ${url}\u3000${data}`,
      ['1:31 This is an unusual space (U+3000). Write an ordinary space.'],
    ],
    ['a zero-width space', `\u200bcurl ${url}`, ['1:1 This is a zero-width space (U+200B). Remove it.']],
    [
      'a zero-width space in a quoted URL',
      `curl '${url}\u200b'`,
      ['1:32 This is a zero-width space (U+200B). Remove it.'],
    ],
    [
      'a non-breaking space in a quoted header',
      `curl ${url} -H "Authorization:\u00a0Bearer x"`,
      ['1:50 This is a non-breaking space (U+00A0). Write an ordinary space.'],
    ],
    [
      'an invisible character after an escaped one',
      `curl ${url} -H "X-A: \\"\u2060\\""`,
      ['1:43 This is an invisible character (U+2060). Remove it.'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(preview(text).valid).toBe(false)
    expect(errors(text)).toEqual(expected)
  })

  test('but not in the text of a quoted body', () => {
    const { valid, details } = preview(`curl ${url} -d '{"a":"“it’s” – so\u00a0so"}'`)
    expect(valid).toBe(true)
    expect(details.actions).toMatchObject([post])
  })
})

describe('a command that a shell reads otherwise than its author is refused with the place:', () => {
  const stray =
    'This word belongs to no option. Put a value with spaces in quotes, and start a URL with http:// or https://.'
  test.each([
    [
      'a URL with & without quotes',
      `curl ${url}?a=1&b=2`,
      ['1:35 For the shell, the command ends at this &. Put the URL in quotes.'],
    ],
    [
      'a URL with ; without quotes',
      `curl ${url};v=1`,
      ['1:31 For the shell, the command ends at this ;. Put the URL in quotes.'],
    ],
    [
      'a URL with < without quotes',
      `curl ${url}/<id>/b`,
      ['1:32 For the shell, this < reads a file. Put the URL in quotes.'],
    ],
    ['a header without quotes', `curl -H Accept: text/csv ${url}`, [`1:17 ${stray}`]],
    ['a body without quotes', `curl ${url} -d {"a": 1}`, [`1:41 ${stray}`]],
    ['a doubled backslash', `curl ${url} \\\\\n ${data}`, [`1:32 ${stray}`]],
    ['a slash for a backslash', `curl ${url} /\n ${data}`, [`1:32 ${stray}`]],
    ['a comment after a backslash', `curl ${url} \\ #a\n ${data}`, [`1:32 ${stray}`]],
    ['an option without its value', `curl ${url} -d\n'{"a":1}'`, ['1:32 The option -d has no value.']],
    [
      'a caret with escaped quotes',
      `curl ^"${url}^"`,
      ['1:6 This command is for the Windows command prompt (^). Copy it as cURL for Bash.'],
    ],
    [
      'a PowerShell escape',
      `curl ${url} -H "A: \`"b\`"" \`\n ${data}`,
      ['1:46 This command is for PowerShell. Copy it as cURL for Bash.'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(preview(text).valid).toBe(false)
    expect(errors(text)).toEqual(expected)
  })

  test('but not a caret in a quoted body', () => {
    expect(preview(`curl ${url} -d '{"a":"^"}'`).details.actions).toMatchObject([post])
  })

  test('but not an address in the background, a pipe or a file for the output', () => {
    for (const rest of [' &', '&', '|jq .', ' > out', ' 2>/dev/null; echo'])
      expect(preview(`curl ${url}${rest}`).details.actions).toMatchObject([{ isEnabled: true }])
  })
})
