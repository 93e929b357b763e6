/** What a start at login is given, so that it stays in the tray. */
export const hiddenArgument = '--hidden'

/**
 * The part of a program's arguments that is a subcommand of the executable: the packaged app takes the same
 * ones. Pure.
 *
 * @param argv the program's own name first. @param isDefaultApp whether Electron itself was started, with
 *   the app's folder as its first argument. @param commands the names of the subcommands.
 * @returns null when the window is meant.
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

/** Returns the data folder that the app's arguments name, as `--data DIR` or `--data=DIR`; null without one. */
export function dataArgument(argv: readonly string[]): string | null {
  for (const [index, argument] of argv.entries()) {
    if (argument === '--data') return argv[index + 1] || null
    if (argument.startsWith('--data=')) return argument.slice('--data='.length) || null
  }
  return null
}
