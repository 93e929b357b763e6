import { hideSecrets } from './signing-secrets.ts'

/** Steps from the root of a JSON value to a value in it: keys and indices. */
export type JsonPath = readonly (string | number)[]

/**
 * A path as people write it: `actions[0].headers["X-Key"]`; empty for the root. A signing secret that
 * somebody used as a key is not repeated.
 */
export function formatPath(path: JsonPath): string {
  const text = path
    .map(step => {
      if (typeof step === 'number') return `[${step}]`
      return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join('')
  return hideSecrets(text.replace(/^\./, ''))
}
