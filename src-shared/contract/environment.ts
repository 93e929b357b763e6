import { z } from 'zod'
import { EnvironmentName, EnvironmentValue, EnvironmentVariable } from '../model/environment.ts'
import { Deleted, routesOf } from './base.ts'

const route = routesOf('environment', '/environment')

export const environment = {
  list: route('GET', '', 'Variables for {{NAME}} in headers: names and sources, without values').output(
    z.array(EnvironmentVariable),
  ),
  set: route('PUT', '/{name}', 'Set a variable in the settings')
    .input(z.object({ name: EnvironmentName, value: EnvironmentValue }))
    .output(EnvironmentVariable),
  remove: route('DELETE', '/{name}', 'Remove a variable from the settings', [
    'environment_variable_not_found',
  ])
    .input(z.object({ name: z.string() }))
    .output(Deleted),
}
