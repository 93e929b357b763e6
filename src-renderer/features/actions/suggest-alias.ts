/** Names that need the name of their parent: `refund.id` becomes `refund_id`. */
const vague = new Set('id uuid name key code type number count url date at by'.split(' '))
/** Names without meaning: `amount.value` becomes `amount`. */
const empty = new Set('value text data result content attributes body'.split(' '))
const maxLength = 64

/**
 * Returns a short alias for a field of a response, in snake_case and not taken.
 *
 * @param path a dot-path such as `refund.amount.value`.
 */
export function suggestAlias(path: string, taken: ReadonlySet<string>): string {
  const words = wordsOf(path)
  const last = words.at(-1) ?? 'field'
  const parent = words.at(-2)
  const best =
    parent === undefined
      ? last
      : empty.has(last)
        ? parent
        : vague.has(last) || /^\d/.test(last)
          ? `${parent}_${last}`
          : last
  const longer = parent === undefined ? best : `${parent}_${last}`
  return [best, longer].map(cut).find(alias => !taken.has(alias)) ?? numbered(cut(longer), taken)
}

/** Returns the steps of a path in snake_case. An index is a word only at the end. */
function wordsOf(path: string): string[] {
  const steps = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  return steps
    .filter((step, index) => !/^\d+$/.test(step) || index === steps.length - 1)
    .map(step =>
      step
        .normalize('NFKD')
        .replace(/([a-z\d])([A-Z])/g, '$1_$2')
        .replace(/\p{Mark}/gu, '')
        .replace(/[^A-Za-z0-9]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .toLowerCase(),
    )
    .filter(word => word !== '')
}

const cut = (alias: string) => alias.slice(0, maxLength)

function numbered(alias: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const end = `_${number}`
    const candidate = alias.slice(0, maxLength - end.length) + end
    if (!taken.has(candidate)) return candidate
  }
}
