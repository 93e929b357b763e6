/**
 * The dashboard's address that signs whoever opens it in. The token is in the fragment, which no browser
 * sends and no log sees; the page takes it out of the address at once.
 */
export function signInUrl(dashboardUrl: string, token: string): string {
  return `${dashboardUrl}/#token=${encodeURIComponent(token)}`
}
