import { z } from 'zod'
import { EnvironmentName } from '../model/environment.ts'
import {
  checkOneOf,
  EnvironmentVariable,
  OAuth2Variable,
  VariableInput,
  VariableTrial,
} from '../model/environment-variable.ts'
import { Deleted, routesOf } from './base.ts'

const route = routesOf('environment', '/environment')

export const environment = {
  list: route('GET', '', 'Variables for {{NAME}} in headers: names and sources, without values').output(
    z.array(EnvironmentVariable),
  ),
  set: route('PUT', '/{name}', 'Set a variable in the settings: to a value, or to how it is made')
    .input(z.object({ name: EnvironmentName, ...VariableInput.shape }).check(checkOneOf))
    .output(EnvironmentVariable),
  try: route('POST', '/{name}/try', 'Get the value of a variable: for OAuth 2, a new token')
    .input(
      z.object({
        name: EnvironmentName,
        oauth2: OAuth2Variable.optional().describe('Tries this instead of what is set.'),
      }),
    )
    .output(VariableTrial),
  remove: route('DELETE', '/{name}', 'Remove a variable from the settings', [
    'environment_variable_not_found',
    'variable_in_use',
  ])
    .input(z.object({ name: z.string() }))
    .output(Deleted),
}
