import { z } from 'zod'
import { DesktopInfo, DesktopPreferences } from '../model/desktop.ts'
import { routesOf } from './base.ts'
import type { Contract } from './index.ts'

const route = routesOf('desktop', '/desktop')

/** Procedures of the desktop app besides those of the service; available over the window's message port only. */
export const desktop = {
  get: route('GET', '', 'Preferences and the keychain').output(DesktopInfo),
  update: route('PATCH', '', 'Change preferences').input(DesktopPreferences.partial()).output(DesktopInfo),
  openDataFolder: route('POST', '/open-data-folder', 'Show the data folder in the file manager').output(
    z.object({ opened: z.boolean() }),
  ),
  openExternal: route('POST', '/open-external', 'Open a page in the browser')
    .input(z.object({ url: z.url({ protocol: /^https?$/, normalize: true }) }))
    .output(z.object({ opened: z.boolean() })),
  saveBackup: route(
    'POST',
    '/save-backup',
    'Ask for a file, then write a backup of the data folder to it',
  ).output(z.object({ file: z.string().nullable().describe('Null if the user chose no file.') })),
}

export type WindowContract = Contract & { desktop: typeof desktop }
