import { ListenerAddress, ListenerStatus, ServiceInfo } from '../model/service.ts'
import { route } from './base.ts'

const tag = 'service'

export const service = {
  get: route('GET', '/service', { tag, summary: 'The service, its data folder and its listener' }).output(
    ServiceInfo,
  ),
  moveListener: route('PUT', '/service/listener', {
    tag,
    summary: 'Move the listener to another address; if that fails, the old one stays',
    errors: ['port_in_use', 'address_unavailable', 'listener_fixed'],
  })
    .input(ListenerAddress)
    .output(ListenerStatus),
}
