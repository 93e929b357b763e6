/** All that it takes to go on elsewhere, for a backup. */
export type BackupSources = {
  /** A folder on the disk of the data: copies are made below it. */
  readonly folder: string
  /** Returns the bytes that the copies take. */
  size(): Promise<number>
  /**
   * Writes copies as of one moment into an empty folder, under the names that they have in a backup. What does not
   * exist is left out.
   */
  copyTo(place: string): Promise<void>
}
