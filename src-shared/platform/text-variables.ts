/** Names in single braces; `{{name}}` is not a variable. */
export const variable = /(?<!\{)\{([A-Za-z0-9_]+)\}(?!\})/g

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

/** A variable with its braces; or a text between variables, whose name is null. */
export type TextPart = { readonly text: string; readonly name: string | null }

/** Splits a text into its variables and the texts between them. */
export function splitAtVariables(text: string): TextPart[] {
  return text.split(variable).flatMap<TextPart>((part, index) => {
    // Every second part is a name, because the pattern captures it.
    if (index % 2 === 1) return [{ text: `{${part}}`, name: part }]
    return part === '' ? [] : [{ text: part, name: null }]
  })
}
