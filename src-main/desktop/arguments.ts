/** The argument of a start at login, which stays in the tray. */
export const hiddenArgument = '--hidden'

/**
 * Returns the arguments from the subcommand on; null without one, which opens the window. The packaged app has the same
 * subcommands as the command line. Pure.
 *
 * @param argv with the program's name first. @param isDefaultApp whether Electron itself was started, with the app's
 *   folder as its first argument. @param commands the names of the subcommands.
 */
export function commandArguments(
  argv: readonly string[],
  isDefaultApp: boolean,
  commands: readonly string[],
): string[] | null {
  const given = argv.slice(1)
  // Switches such as --no-sandbox are Chromium's; the folder after --data is not a subcommand.
  const words = given.flatMap((argument, index) =>
    argument.startsWith('-') || given[index - 1] === '--data' ? [] : [index],
  )
  const first = words[isDefaultApp ? 1 : 0]
  return first !== undefined && commands.includes(given[first] ?? '') ? given.slice(first) : null
}

/** Returns the data folder in the app's arguments, `--data DIR` or `--data=DIR`; null for none. */
export function dataArgument(argv: readonly string[]): string | null {
  for (const [index, argument] of argv.entries()) {
    if (argument === '--data') return argv[index + 1] || null
    if (argument.startsWith('--data=')) return argument.slice('--data='.length) || null
  }
  return null
}
