import { Client, type Dispatcher } from 'undici'
import type { Connector } from '#main/outbound/connector.ts'
import { createResponseStart, type ResponseStart, watchStart } from '#main/outbound/response-start.ts'

/** A client of undici that skips interim responses (1xx), which some gateways send without being asked. */
export class ModelClient extends Client {
  readonly #start: ResponseStart

  constructor(origin: URL, options: Client.Options, connector: Connector) {
    const start = createResponseStart()
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connector.connect(target, (_times, socket) => watchStart(socket, start), callback),
    })
    this.#start = start
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, following(handler, this.#start))
  }
}

/** Returns a handler that also tells where a response begins and where its head ends. */
function following(handler: Dispatcher.DispatchHandler, start: ResponseStart): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller, context) {
      handler.onRequestStart?.(controller, context)
      start.begin()
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onResponseStart(...given) {
      const [, status] = given
      if (status >= 200) start.endHead()
      handler.onResponseStart?.(...given)
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  }
}
