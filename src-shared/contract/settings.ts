import { Settings, SettingsChange } from '../model/settings.ts'
import { route } from './base.ts'

const tag = 'settings'

export const settings = {
  get: route('GET', '/settings', { tag, summary: 'Settings of the service' }).output(Settings),
  update: route('PATCH', '/settings', { tag, summary: 'Change settings of the service' })
    .input(SettingsChange)
    .output(Settings),
}
