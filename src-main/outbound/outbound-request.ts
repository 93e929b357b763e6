import { SigningKey } from '#main/signing/signing-key.ts'
import type { ActionFields } from '#shared/model/action.ts'
import type {
  CallArguments,
  CallContents,
  CallError,
  CallingClient,
  CallingStep,
  CallSource,
  ConvertedArgument,
  SentRequest,
} from '#shared/model/call.ts'
import type { Method } from '#shared/model/method.ts'
import type { HeaderMap, QueryTemplate } from './header-values.ts'

/** Who asks for a request. */
export type Initiator = {
  readonly source: CallSource
  readonly step?: CallingStep
  readonly workflowId?: string
  /** Whether an alert has started the run: such a call causes none. */
  readonly isForAlert?: boolean
  readonly client?: CallingClient
  readonly conversationId?: string
  /** The arguments that were taken as other values than they were given. */
  readonly converted?: readonly ConvertedArgument[]
  /** Whether its contents must not be kept. */
  readonly isPrivate?: boolean
  /** Returns what is kept of its contents; all, by default. */
  readonly kept?: ((contents: CallContents) => CallContents) | undefined
}

/** Parts of a request as they are shown. */
export type ShownRequest = Partial<Pick<SentRequest, 'url' | 'headers' | 'body'>>

/** The call that is asked for. */
type Asked = Initiator & {
  /** Null for a request that belongs to no connection. */
  readonly connectionId: string | null
  /** Null for a request that belongs to no action. */
  readonly actionId: string | null
  readonly toolName: string
  readonly arguments: CallArguments
  /** Environment variables that are filled in already. */
  readonly variables?: readonly string[]
  readonly method: Method
  /**
   * Headers, whose variables `{{NAME}}` are filled in when it is sent. Must be immutable, and the same object whenever
   * they are the same: what is prepared for them is cached by it.
   */
  readonly headers: Readonly<HeaderMap>
}

/** A request to an external system, before it is signed. Nothing else is ever sent to one. */
export type OutboundRequest = Asked & {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly target: string
  /** Further headers, which replace those of the same name. They are sent as they are: an event can be their source. */
  readonly rawHeaders?: Readonly<HeaderMap>
  /** A query parameter with which the connection signs in. Must be the same object for the same `headers`. */
  readonly query?: QueryTemplate
  /** Replaces parts with secrets wherever the request is shown. */
  readonly shown?: ShownRequest
  /** Empty for none. */
  readonly body: string
  readonly encoding: 'utf8' | 'latin1'
  /** Null for a request that is not signed. */
  readonly key: SigningKey | null
  /** Returns the headers that sign it otherwise than a right call, for a check of its receiver. */
  readonly sign?: (key: SigningKey, nowMs: number, bytes: Uint8Array) => Readonly<HeaderMap>
  /** For the whole call. */
  readonly timeoutMs: number
  readonly responseMapping: ActionFields['responseMapping']
}

/** A request that cannot be made, for example because of its arguments. It is recorded like any other. */
export type ImpossibleRequest = Asked & { readonly error: CallError }

/** The headers of a request that has none of its own. */
export const noHeaders: Readonly<HeaderMap> = {}

/** The headers of a request with a JSON body. */
export const jsonHeaders: Readonly<HeaderMap> = { 'Content-Type': 'application/json' }

type KeyOwner = { readonly signingSecret: string }
const keys = new WeakMap<KeyOwner, SigningKey>()

/** Returns the key of a connection's record, which is immutable. */
export function signingKeyOf(owner: KeyOwner): SigningKey {
  const kept = keys.get(owner)
  if (kept !== undefined) return kept
  const key = new SigningKey(owner.signingSecret)
  keys.set(owner, key)
  return key
}
