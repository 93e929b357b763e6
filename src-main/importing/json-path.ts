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

const signingSecret = /whsec_[A-Za-z0-9+/_=-]+/

export function holdsSigningSecret(text: string): boolean {
  return signingSecret.test(text)
}

function hideSecrets(text: string): string {
  return text.replace(new RegExp(signingSecret, 'g'), 'whsec_…')
}
