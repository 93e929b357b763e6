/**
 * What a backup's file would best be called: custom-connection-backup-20261121.tar.gz.
 *
 * @param createdAt milliseconds since 1970.
 */
export function backupFileName(createdAt: number): string {
  const day = new Date(createdAt).toISOString().slice(0, 10).replaceAll('-', '')
  return `custom-connection-backup-${day}.tar.gz`
}
