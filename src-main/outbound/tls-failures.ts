/** Names that Node gives to what OpenSSL finds wrong with a certificate, in words. */
const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that is not trusted here',
  CERT_UNTRUSTED: 'its certificate comes from an authority that is not trusted here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  INVALID_CA: 'an authority in its chain may not sign certificates',
  INVALID_PURPOSE: 'its certificate is not made for servers',
}

/** What a certificate authority of one's own brings about. */
const untrusted = /SELF_SIGNED|VERIFY_LEAF|GET_ISSUER|CERT_UNTRUSTED/
const remedy =
  'If you trust it, name its authority’s PEM file in Settings › Limits, or in NODE_EXTRA_CA_CERTS when the service starts.'

export function isTlsCode(code: string): boolean {
  return (
    code in certificateProblems ||
    /^(ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)
  )
}

/** Why no secure connection came about, with the names of the certificate where they are the reason. */
export function tlsDetail(error: unknown, code: string, host: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${host} is made out for ${names(error)}.`
  if (
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code) ||
    /wrong version number/.test(text(error))
  )
    return `${host} does not speak TLS; is the base URL meant to begin with http: instead of https:?`
  const problem = certificateProblems[code]
  if (problem !== undefined)
    return `There is no secure connection to ${host}: ${problem} (${code}).${untrusted.test(code) ? ` ${remedy}` : ''}`
  return `There is no secure connection to ${host}${code === '' ? '' : ` (${code})`}.`
}

function names(error: unknown): string {
  const none = 'other names'
  if (typeof error !== 'object' || error === null || !('cert' in error)) return none
  const { cert } = error
  if (typeof cert !== 'object' || cert === null) return none
  if ('subjectaltname' in cert && typeof cert.subjectaltname === 'string')
    return cert.subjectaltname.replaceAll('DNS:', '').replaceAll('IP Address:', '')
  if (!('subject' in cert) || typeof cert.subject !== 'object' || cert.subject === null) return none
  return 'CN' in cert.subject && typeof cert.subject.CN === 'string' ? cert.subject.CN : none
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
