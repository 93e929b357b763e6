import type { Settings, SettingsChange } from '#shared/model/settings.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { toastDone } from '../../ui/toasts.tsx'

/** Saves some settings and says so: “Limits saved”. */
export async function saveSettings(
  what: string,
  note: string,
  change: SettingsChange & { readonly ifUpdatedAt: Settings['updatedAt'] },
): Promise<Settings> {
  const saved = await client.settings.update(change)
  await queries.invalidateQueries({ queryKey: api.settings.key() })
  toastDone(`${what} saved`, note)
  return saved
}
