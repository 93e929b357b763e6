/** Returns the numbers on the command line under these names, in this order, as options of a benchmark. */
export function givenNumbers<Name extends string>(...names: Name[]): Partial<Record<Name, number>> {
  const options: Partial<Record<Name, number>> = {}
  for (const [index, name] of names.entries()) {
    const text = process.argv[index + 2]
    if (text !== undefined) options[name] = Number(text)
  }
  return options
}
