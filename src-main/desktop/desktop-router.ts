import { implement } from '@orpc/server'
import type { Logger } from '#main/lib/logger.ts'
import { withKnownErrors } from '#main/rpc/base.ts'
import type { CallContext } from '#main/rpc/context.ts'
import { desktop } from '#shared/contract/desktop.ts'
import type { DesktopInfo, DesktopPreferences } from '#shared/model/desktop.ts'

/** What the window can ask of the app beyond the service. */
export type DesktopProcedures = {
  info(): Promise<DesktopInfo>
  /** @throws ServiceError `port_in_use`, `storage_unavailable`; nothing of it is kept then. */
  change(changes: { [Key in keyof DesktopPreferences]?: DesktopPreferences[Key] | undefined }): Promise<void>
  openDataFolder(): Promise<boolean>
  openExternal(url: string): Promise<boolean>
  /** @returns the file; null when the user chose none. @throws ServiceError as `saveBackup`. */
  saveBackup(): Promise<string | null>
}

export function createDesktopRouter(logger: Logger, procedures: DesktopProcedures) {
  const os = implement(desktop)
    .$context<CallContext>()
    .use(({ next, path }) => withKnownErrors(logger, path, () => next()))
  return os.router({
    get: os.get.handler(() => procedures.info()),
    update: os.update.handler(async ({ input }) => {
      await procedures.change(input)
      return procedures.info()
    }),
    openDataFolder: os.openDataFolder.handler(async () => ({ opened: await procedures.openDataFolder() })),
    openExternal: os.openExternal.handler(async ({ input }) => ({
      opened: await procedures.openExternal(input.url),
    })),
    saveBackup: os.saveBackup.handler(async () => ({ file: await procedures.saveBackup() })),
  })
}
