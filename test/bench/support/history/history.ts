/** When something began and ended, in milliseconds by one clock. */
export type Span = { readonly from: number; readonly to: number }

/** A value of the configuration. Each value is written once: after another one, it never comes back. */
export type Shown = { readonly register: string; readonly value: string }

/** A request with an event. Its status is null if no answer came: it may have been accepted, also later. */
export type Sent = Span & {
  readonly node: number
  readonly stream: string
  /** The id in its data. Only repeats of a signed request share it. */
  readonly id: string
  readonly status: number | null
  /** The event's key in a workflow with `once`. */
  readonly key?: string
  /** Whether something is wrong with it, or may be wrong by a configuration of the time. */
  readonly mayBeRefused?: true
  /** The configuration by which it is accepted. */
  readonly shows?: Shown
}

/** A call of a step that came to the receiver. */
export type Call = Span & {
  readonly node: string
  readonly stream: string
  /** The id in the data of its event. */
  readonly id: string
  readonly step: string
  /** Its `Idempotency-Key`. */
  readonly key: string
  /** Whether it was answered. Otherwise its sender gave it up. */
  readonly isAnswered: boolean
  /** The configuration with which it was made. */
  readonly shows?: Shown
}

/** A change of the configuration that was answered with success, or a read of it. */
export type Look = Span & Shown & { readonly node: number; readonly by: 'change' | 'read' }

/** A read of an event or a run by its id. */
export type Read = Span & {
  readonly node: number
  /** The id of the event or run. */
  readonly recordId: string
  readonly status: number | null
  /** The id of the record that came. */
  readonly found?: string
  /** The status of a run. */
  readonly state?: string
}

/** A list that was read page by page. */
export type Walk = Span & {
  readonly node: string
  readonly of: 'events' | 'runs'
  readonly stream: string
  readonly ids: readonly string[]
  /** Whether it was read to its end. */
  readonly isWhole: boolean
}

/** A record that is stored at the end. */
export type StoredEvent = { readonly eventId: string; readonly stream: string; readonly id: string }
export type StoredRun = {
  readonly runId: string
  readonly eventId: string
  readonly stream: string
  readonly status: string
}

/** Events of one kind, and what each of them starts. */
export type Stream = {
  /** The steps of the run of an event, in their order. Without any, an event starts no run. */
  readonly steps: readonly string[]
  /** Whether only one event of a key starts a run. */
  readonly isOnce?: true
  /** Whether its runs execute one after another. */
  readonly isOrdered?: true
}

/** All that was sent, answered, called, read and stored. */
export type History = {
  readonly streams: Readonly<Record<string, Stream>>
  readonly sent: readonly Sent[]
  readonly calls: readonly Call[]
  readonly looks: readonly Look[]
  readonly reads: readonly Read[]
  readonly walks: readonly Walk[]
  readonly events: readonly StoredEvent[]
  readonly runs: readonly StoredRun[]
}

/** The records that together prove that a rule was violated. */
export type Proof = readonly unknown[]

/** Rules by the name of what must not be. Each returns a proof for each violation. */
export type Rules = Readonly<Record<string, (history: History) => readonly Proof[]>>
