/**
 * One step of the configuration file from a version to a later one. `migrate` is pure and gets the file's
 * JSON as the older version wrote it; what it returns has `schemaVersion: to`.
 * @throws DamagedContent from `migrate`, when the file is not what that version wrote.
 */
export type Migration = {
  readonly from: number
  readonly to: number
  /** What it does, in a few words, for the operator: `split names`. */
  readonly name: string
  readonly migrate: (file: unknown) => unknown
}
