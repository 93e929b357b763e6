/** Names in single braces; `{{name}}` is not a variable. */
const variable = /(?<!\{)\{([A-Za-z0-9_]+)\}(?!\})/g

/** Returns the names of the variables in a text response, each once, in their order. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].flatMap(({ 1: name }) => name ?? []))]
}

/** Fills the variables of a text. An unknown one stays as it is and is named. */
export function fillVariables(
  text: string,
  values: Readonly<Record<string, string>>,
): { text: string; unknown: string[] } {
  const known = (name: string) => Object.hasOwn(values, name)
  return {
    text: text.replace(variable, (whole, name: string) => (known(name) ? (values[name] ?? '') : whole)),
    unknown: variablesIn(text).filter(name => !known(name)),
  }
}
