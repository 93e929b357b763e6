import { z } from 'zod'
import { NodeId, NodeList } from '../model/nodes.ts'
import { ListenerAddress, ListenerStatus, ServiceInfo } from '../model/service.ts'
import { Deleted, routesOf } from './base.ts'

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
  nodes: route('GET', '/nodes', 'The services that share the database; without one, this service').output(
    NodeList,
  ),
  forgetNode: route('DELETE', '/nodes/{nodeId}', 'Take a lost node off the list', ['node_not_lost'])
    .input(z.object({ nodeId: NodeId }))
    .output(Deleted),
}
