import { z } from 'zod'
import {
  Alert,
  AlertMute,
  AlertQuery,
  ConnectionWatch,
  ConnectionWatchChange,
  ServiceWatch,
  ServiceWatchChange,
  WatchedConnection,
} from '../model/alert.ts'
import { maxPage } from '../model/page.ts'
import { ifUpdatedAt, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('alerts')
const OneAlert = z.object({ alertId: z.string() })

export const alerts = {
  list: route('GET', '/alerts', 'The alerts, newest first', ['workspace_not_found', 'connection_not_found'])
    .input(AlertQuery)
    .output(z.array(Alert)),
  get: route('GET', '/alerts/{alertId}', 'An alert').input(OneAlert).output(Alert),
  mute: route(
    'POST',
    '/alerts/{alertId}/mute',
    'Tell nobody of an open alert, for some hours or until it closes',
    ['alert_closed'],
  )
    .input(OneAlert.extend(AlertMute.shape))
    .output(Alert),
  unmute: route('POST', '/alerts/{alertId}/unmute', 'No longer mute an alert', ['alert_closed'])
    .input(OneAlert)
    .output(Alert),
  connectionWatch: route(
    'GET',
    '/connections/{connectionId}/watch',
    'When alerts of a connection open, and what is measured now',
  )
    .input(OneConnection)
    .output(ConnectionWatch),
  changeConnectionWatch: route(
    'PATCH',
    '/connections/{connectionId}/watch',
    'Change when alerts of a connection open',
    ['changed_meanwhile'],
  )
    .input(OneConnection.extend({ ...ConnectionWatchChange.shape, ...ifUpdatedAt }))
    .output(ConnectionWatch),
  watchedConnections: route(
    'GET',
    '/watch/connections',
    'When alerts of several connections open, and what is measured now',
  )
    .input(
      z.object({
        connectionIds: z
          .array(z.string())
          .max(maxPage)
          .describe('Those that do not exist are left out of the answer.'),
      }),
    )
    .output(z.array(WatchedConnection)),
  watch: route('GET', '/watch', 'When alerts of the service as a whole open').output(ServiceWatch),
  changeWatch: route('PATCH', '/watch', 'Change when alerts of the service as a whole open')
    .input(ServiceWatchChange)
    .output(ServiceWatch),
}
