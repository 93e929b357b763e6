import { z } from 'zod'
import { EnvironmentName, EnvironmentValue, EnvironmentVariable } from '../model/environment.ts'
import { Deleted, route } from './base.ts'

const tag = 'environment'

export const environment = {
  list: route('GET', '/environment', {
    tag,
    summary: 'Variables for {{NAME}} in headers: names and sources, without values',
  }).output(z.array(EnvironmentVariable)),
  set: route('PUT', '/environment/{name}', { tag, summary: 'Set a variable in the settings' })
    .input(z.object({ name: EnvironmentName, value: EnvironmentValue }))
    .output(EnvironmentVariable),
  remove: route('DELETE', '/environment/{name}', {
    tag,
    summary: 'Remove a variable from the settings',
    errors: ['environment_variable_not_found'],
  })
    .input(z.object({ name: z.string() }))
    .output(Deleted),
}
