import { describe, expect, test } from 'vitest'
import { subcommandNames } from '#main/cli/program.ts'
import { commandArguments, dataArgument } from '#main/desktop/arguments.ts'

describe('the arguments of the app', () => {
  test.each([
    [
      ['app', 'serve', '--port', '0'],
      ['serve', '--port', '0'],
    ],
    [
      ['app', 'send', 'order.created', '--data', '{}'],
      ['send', 'order.created', '--data', '{}'],
    ],
    [
      ['app', '--no-sandbox', 'serve', '--json'],
      ['serve', '--json'],
    ],
    [
      ['app', 'backup', 'serve'],
      ['backup', 'serve'],
    ],
    [['app'], null],
    [['app', '--hidden'], null],
    [['app', '--data', 'serve'], null],
    [['app', '--data=/d', '--hidden'], null],
    [['app', 'custom-connection://serve'], null],
    [['app', 'other', 'serve'], null],
    [['serve'], null],
  ])('of an installed app, %j, are those of the executable: %j', (argv, expected) => {
    expect(commandArguments(argv, false, subcommandNames)).toEqual(expected)
  })

  test.each([
    [['electron', '.', 'serve'], ['serve']],
    [
      ['electron', '--js-flags=--a --b', '/checkout', 'serve', '--json'],
      ['serve', '--json'],
    ],
    [['electron', '.'], null],
    [['electron', 'serve'], null],
    [['electron', '.', '--hidden'], null],
  ])('after Electron’s own, %j: %j', (argv, expected) => {
    expect(commandArguments(argv, true, subcommandNames)).toEqual(expected)
  })

  test.each([
    [['app'], null],
    [['app', '--data', '/other'], '/other'],
    [['electron', '--js-flags=--a', '.', '--data=/other', '--hidden'], '/other'],
    [['app', '--data'], null],
    [['app', '--data='], null],
  ])('%j name the data folder %j', (argv, expected) => {
    expect(dataArgument(argv)).toBe(expected)
  })

  test('name every subcommand', () => {
    expect(subcommandNames).toEqual(
      expect.arrayContaining(['serve', 'send', 'sign', 'verify', 'call', 'import', 'export']),
    )
  })
})
