import { Settings, SettingsChange } from '../model/settings.ts'
import { ifUpdatedAt, routesOf } from './base.ts'

const route = routesOf('settings')

export const settings = {
  get: route('GET', '/settings', 'Settings of the service').output(Settings),
  update: route('PATCH', '/settings', 'Change settings of the service', [
    'changed_meanwhile',
    'scheduled_backup_not_available',
  ])
    .input(SettingsChange.extend(ifUpdatedAt))
    .output(Settings),
}
