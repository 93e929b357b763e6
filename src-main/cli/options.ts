import { homedir } from 'node:os'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { defaultDataFolder } from '#main/storage/open-storage.ts'

/**
 * Parses the options of a command. Explains a wrong one on stderr in one line.
 *
 * @throws CommanderError for wrong usage.
 */
export function parseOptions<Schema extends z.ZodType>(command: Command, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(command.opts())
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = command.options.find(option => option.attributeName() === issue?.path[0])?.long
  return refuseUsage(command, name === undefined ? (issue?.message ?? '') : `${name}: ${issue?.message}`)
}

/** Returns whether an option was set on the command line, even to its default. */
export function isGiven(command: Command, option: string): boolean {
  return command.getOptionValueSource(option) === 'cli'
}

/** Prints a sentence on stderr. @throws CommanderError always. */
export function refuseUsage(command: Command, sentence: string): never {
  command.error(`error: ${sentence}`, { exitCode: 2, code: 'custom_connection.usage' })
}

/**
 * Creates the option for the data folder. Its defaults are the environment variable, then the platform's folder. For a
 * user without a home folder, it has no other default.
 */
export function dataFolderOption(flags: string, home: () => string = homedir): Option {
  const option = new Option(flags, 'the data folder').env('CUSTOM_CONNECTION_DATA')
  try {
    return option.default(
      defaultDataFolder(process.platform, process.env, home),
      "the platform's data folder",
    )
  } catch {
    return option
  }
}

/** The value of `dataFolderOption`. */
export const DataFolder = z
  .string(
    'This user has no home folder, so there is no default. Give a folder, or set CUSTOM_CONNECTION_DATA.',
  )
  .min(1)

/** Collects the values of a repeatable option. */
export function repeatable(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

export const jsonOption = new Option('--json', 'print one JSON value on one line of stdout')

const Digits = z.string().regex(/^\d{1,15}$/, 'Write a whole number.')

/** 0 to 65535. */
export const PortOption = Digits.transform(Number).pipe(z.int().max(65_535, 'A port is 0 to 65535.'))
/** At most an hour. */
export const SecondsOption = Digits.transform(Number).pipe(z.int().max(3600, 'Write at most 3600.'))
/** An empty value, for example of an environment variable, counts as missing. */
export const TextOption = z
  .string()
  .optional()
  .transform(text => text || undefined)
export const JsonFlag = z.boolean().default(false)

const common = { data: DataFolder, json: JsonFlag }
export type OptionsOf<Own extends z.ZodRawShape> = z.output<z.ZodObject<typeof common & Own>>

/**
 * Adds the options `--data` and `--json` to a command, and lets it run with its options and arguments.
 *
 * @param own its other options.
 */
export function runsWith<Own extends z.ZodRawShape>(
  command: Command,
  own: Own,
  run: (options: OptionsOf<Own>, ...given: string[]) => Promise<void>,
): void {
  const schema = z.object({ ...common, ...own })
  command
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(() => run(parseOptions(command, schema), ...command.args))
}

/** The options of a command that `runsWith` only the common ones. */
export type CommonOptions = OptionsOf<Record<never, never>>
