import { ListenerAddress, ListenerStatus, ServiceInfo } from '../model/service.ts'
import { routesOf } from './base.ts'

const route = routesOf('service')

export const service = {
  get: route('GET', '/service', 'The service, its data folder and its listener').output(ServiceInfo),
  moveListener: route(
    'PUT',
    '/service/listener',
    'Move the listener to another address; if that fails, the old one stays',
    ['port_in_use', 'address_unavailable', 'listener_fixed'],
  )
    .input(ListenerAddress)
    .output(ListenerStatus),
}
