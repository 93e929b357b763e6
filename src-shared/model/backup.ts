import { z } from 'zod'
import { TimeInput } from '../time.ts'
import { Moment } from './identifiers.ts'

export const BackupSource = z.enum(['schedule', 'command', 'rest', 'noted'])
export type BackupSource = z.infer<typeof BackupSource>

const Bytes = z.int().min(0)

/** A backup as the service remembers it: one that it has made, or one that it was told of. */
export const Backup = z.object({
  at: Moment.describe('The time of the data in it.'),
  bytes: Bytes.nullable().describe('The size of the file; null if it is not known.'),
  source: BackupSource.describe(
    '`schedule`: made by the settings. `command`: by `custom-connection backup` or the desktop app, and verified. `rest`: downloaded. `noted`: made by something else, which has told the service.',
  ),
  label: z.string().nullable().describe('The name of the file, or what a note calls it; null for none.'),
  ok: z.boolean(),
  error: z
    .string()
    .nullable()
    .describe('Why it failed; of a good one, what did not work afterwards; null for nothing.'),
})
export type Backup = z.infer<typeof Backup>

/** A note of a backup that this service has not made. */
export const BackupNote = z.object({
  at: TimeInput.optional().describe(
    'The time of the data in it; now by default. A further note with the same time replaces the first one.',
  ),
  bytes: Bytes.optional().describe('The size of the file.'),
  label: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('What to call it, such as the name of the file.'),
  source: BackupSource.extract(['command', 'noted'])
    .optional()
    .describe('`command` is for `custom-connection backup`, which tells of itself; `noted` by default.'),
})

/** When the service makes backups of its data folder, and where. */
export const BackupSchedule = z.object({
  every: z.enum(['day', 'week']).describe('A `week` begins on Sunday.'),
  at: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'Write a time of day from 00:00 to 23:59, for example 03:00.')
    .describe('The time of day, in the time zone of the service’s computer.'),
  folder: z
    .string()
    .trim()
    .min(1, 'Name a folder.')
    .max(4096)
    .describe('The whole path of a folder on the service’s computer; best on another disk.'),
  keep: z.int().min(1).max(365).describe('How many stay. The oldest goes when a newer one was verified.'),
})
export type BackupSchedule = z.infer<typeof BackupSchedule>
