/** Returns the values of a `SegmentedControl` or a `Select` with their labels, from a table of labels. */
export function optionsOf<Labels extends Readonly<Record<string, unknown>>>(labels: Labels) {
  const options: { value: Extract<keyof Labels, string>; label: Labels[keyof Labels] }[] = []
  for (const value in labels) options.push({ value, label: labels[value] })
  return options
}
