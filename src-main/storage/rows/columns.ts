/** The kinds of columns. */
type Values = {
  /** Any text: SQLite keeps it in a column of type ANY. */
  readonly text: string
  readonly textOrNull: string | null
  /** A text that is always well-formed, such as an id or JSON: SQLite keeps it in a column of type TEXT. */
  readonly plain: string
  readonly plainOrNull: string | null
  readonly integer: number
  readonly integerOrNull: number | null
  readonly flag: boolean
  readonly bytes: Uint8Array
}
type Kind = keyof Values

/** The columns of a table. `receivedAt` is the column `received_at`. */
export type Columns = Readonly<Record<string, Kind>>
export type RowOf<Table extends Columns> = { readonly [Name in keyof Table]: Values[Table[Name]] }

/** How a database stores each kind. `read` throws if a column holds what is never stored there. */
export type Codecs<Stored> = {
  readonly [Name in Kind]: { read(stored: unknown): Values[Name]; write(value: Values[Name]): Stored }
}

export type RowCodec<Table extends Columns, Stored> = {
  readonly columns: readonly {
    readonly name: string
    readonly kind: Kind
    /** Returns what the column stores of a row. */
    readonly of: (row: RowOf<Table>) => Stored
  }[]
  read(stored: Readonly<Record<string, unknown>>): RowOf<Table>
}

/** Returns how a database stores the rows of a table. */
export function rowCodec<Table extends Columns, Stored>(
  table: Table,
  codecs: Codecs<Stored>,
): RowCodec<Table, Stored> {
  const columns = Object.entries(table).map(([field, kind]) => {
    const { read, write }: { read(stored: unknown): unknown; write(value: unknown): Stored } = codecs[kind]
    const name = field.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    return { field, name, kind, read, of: (row: RowOf<Table>) => write(row[field]) }
  })
  return {
    columns,
    read(stored) {
      const row: Record<string, unknown> = {}
      for (const { field, name, read } of columns) row[field] = read(stored[name])
      // What reads a column returns the type of its kind.
      return row as RowOf<Table>
    },
  }
}
