/**
 * Keeps what this process has learnt from a server of the database, for example numbers of rows. It is forgotten when
 * another server has taken over: that one may have missed what was learnt, and give the same numbers to other rows.
 */
export class PerServer<Learnt> {
  readonly #create: () => Learnt
  #server = 0
  #learnt: Learnt

  /** @param create returns what is known of a server at first. */
  constructor(create: () => Learnt) {
    this.#create = create
    this.#learnt = create()
  }

  /** Returns what was learnt from a server. @param server see `Connector.server`. */
  of(server: number): Learnt {
    if (server === this.#server) return this.#learnt
    const learnt = this.#create()
    // What comes late from a server that was left is not kept.
    if (server < this.#server) return learnt
    this.#server = server
    this.#learnt = learnt
    return learnt
  }
}
