/** A large bound takes longer to count up to, so it may be exceeded by this part of it before that is done. */
const shareOfBound = 128

type Quota = {
  /** How many more rows the group may get. */
  remaining: number
  /** Up to where its rows are known. */
  mark: number
}

/** Knows which groups of rows may have grown beyond a bound, without counting them again and again. */
export class RowQuotas {
  readonly #most
  #quotas = new Map<string, Quota>()

  constructor(most: number) {
    this.#most = most
  }

  /** Returns up to where the rows of each group are known. */
  marks(): { readonly groups: string[]; readonly marks: number[] } {
    return { groups: [...this.#quotas.keys()], marks: Array.from(this.#quotas.values(), ({ mark }) => mark) }
  }

  /** Takes note of all groups, and how many rows each may have got. Returns those whose rows have to be counted. */
  grown(
    groups: Iterable<{ readonly group: string; readonly more: number; readonly mark?: number | null }>,
  ): string[] {
    const before = this.#quotas
    this.#quotas = new Map()
    const full: string[] = []
    for (const { group, more, mark = null } of groups) {
      const known = before.get(group) ?? { remaining: Number.NEGATIVE_INFINITY, mark: 0 }
      const remaining = known.remaining - more
      this.#quotas.set(group, { remaining, mark: mark ?? known.mark })
      if (remaining < -Math.floor(this.#most / shareOfBound)) full.push(group)
    }
    return full
  }

  /** Takes note of how many rows a group has, when those beyond the bound are deleted. */
  counted(group: string, rows: number, mark = 0): void {
    this.#quotas.set(group, { remaining: Math.max(0, this.#most - rows), mark })
  }

  /** Makes all groups be counted. */
  forget(): void {
    this.#quotas.clear()
  }
}
