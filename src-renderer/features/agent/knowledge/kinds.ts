/** Returns the ending of a file's name, as the label of its kind: “PAGES”. */
export function kindOfName(name: string): string {
  const at = name.lastIndexOf('.')
  const ending = at > 0 ? name.slice(at + 1) : ''
  return ending.length > 0 && ending.length <= 5 ? ending.toUpperCase() : 'FILE'
}
