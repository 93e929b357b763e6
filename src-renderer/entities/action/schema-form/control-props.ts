export type ControlProps = {
  readonly schema: unknown
  /** The schema in which references are looked up. */
  readonly root: unknown
  /** The id of the element that a label is for. */
  readonly id: string
  /** The accessible name. */
  readonly label: string
  /** The steps from the argument to this value, with dots: `lines.0.sku`. */
  readonly path: string
  /** 0 for the value of an argument. */
  readonly depth: number
  /** Undefined is left out. */
  readonly value: unknown
  readonly required: boolean
  readonly describedBy?: string | undefined
  readonly onChange: (value: unknown) => void
  readonly form: ControlForm
}

/** The parts that all fields of a form share. */
export type ControlForm = {
  /** Problems by their paths. */
  readonly problems: ReadonlyMap<string, string>
  /** Says that a field has a text that is not JSON, or no longer. */
  readonly onBroken: (path: string, isBroken: boolean) => void
}
