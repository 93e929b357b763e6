import { z } from 'zod'
import { optionsOf } from './options-of.ts'

/** A filter of a list. The address, the menu in the bar and the query derive from it. */
export type Filter = {
  /** Parses it in the address. */
  readonly schema: z.ZodType<string | undefined>
  /** The words of its choices. */
  readonly labels?: Readonly<Record<string, string>>
  /** Its name and the choice of everything, if the bar has a menu for it. */
  readonly menu?: { readonly name: string; readonly all?: string }
}
/** The filters of a list by their names in the address. */
export type Filters = Readonly<Record<string, Filter>>

/** An id in an address. */
export const anId = z.string().optional().catch(undefined)
/** A text in an address, where the router parses digits as a number. */
export const anyText = z.coerce.string().optional().catch(undefined)
/** One of a few words in an address. */
export const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words).optional().catch(undefined)

/** Returns a filter with a few choices. */
export function choice<Value extends string>(labels: Readonly<Record<Value, string>>) {
  return { schema: oneOf(optionsOf(labels).map(({ value }) => value)), labels }
}

type Address<Of extends Filters> = { readonly [Name in keyof Of]: Of[Name]['schema'] }
/** The filters as an address has them. */
export type Place<Of extends Filters> = { readonly [Name in keyof Of]?: z.output<Of[Name]['schema']> }
/** The filters of a list, and possibly its order, as the address has them. */
export type AnyPlace = Readonly<Record<string, string | undefined>>

/** Returns the fields of an address that has these filters. */
export function addressOf<Of extends Filters>(filters: Of): Address<Of>
export function addressOf(filters: Filters): object {
  return Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema]))
}

/** Returns the filters that an address sets; undefined for the others, and for an empty text. */
export function chosenIn<Of extends Filters>(filters: Of, place: Place<Of>): Place<Of>
export function chosenIn(filters: Filters, place: object): object {
  return Object.fromEntries(Object.keys(filters).map(name => [name, Reflect.get(place, name) || undefined]))
}

/** Returns the address in which none of these filters is set. */
export const cleared = <Of extends Filters>(filters: Of) => chosenIn(filters, {})

/** Returns whether an address sets one of these filters. */
export const isNarrowed = <Of extends Filters>(filters: Of, place: Place<Of>) =>
  Object.values(chosenIn(filters, place)).some(value => value !== undefined)
