import { Settings, SettingsChange } from '../model/settings.ts'
import { routesOf } from './base.ts'

const route = routesOf('settings')

export const settings = {
  get: route('GET', '/settings', 'Settings of the service').output(Settings),
  update: route('PATCH', '/settings', 'Change settings of the service')
    .input(SettingsChange)
    .output(Settings),
}
