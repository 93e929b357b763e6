import { CreatedMetricsToken, MetricsToken } from '../model/metrics.ts'
import { Deleted, routesOf } from './base.ts'

const route = routesOf('metrics', '/metrics')

export const metrics = {
  token: route('GET', '/token', 'The token with which monitors read `/metrics`').output(MetricsToken),
  createToken: route('POST', '/token', 'Create the token, or replace it; it is shown only here', [
    'metrics_token_given',
  ]).output(CreatedMetricsToken),
  removeToken: route('DELETE', '/token', 'Revoke the token at once', ['metrics_token_given']).output(Deleted),
}
