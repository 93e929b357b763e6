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
  // Switches such as --no-sandbox are Chromium's.
  const words = given.flatMap((argument, index) => (argument.startsWith('-') ? [] : [index]))
  const first = words[isDefaultApp ? 1 : 0]
  return first !== undefined && commands.includes(given[first] ?? '') ? given.slice(first) : null
}
