import type { ParseArgsOptionsConfig } from 'node:util'

/**
 * The options of curl with a value, from its manual, as `name` or `name|letter`. If one were missing here, its value would
 * count as a URL.
 */
const withValue = `
  abstract-unix-socket alt-svc aws-sigv4 cacert capath cert|E cert-type ciphers config|K connect-timeout
  connect-to continue-at|C cookie|b cookie-jar|c create-file-mode crlfile curves data|d data-ascii data-binary
  data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header|D
  ech egd-file engine etag-compare etag-save expect100-timeout form|F form-string ftp-account
  ftp-alternative-to-user ftp-method ftp-port|P ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip
  header|H hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json keepalive-cnt keepalive-time key
  key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt max-filesize max-redirs
  max-time|m netrc-file noproxy oauth2-bearer output|o output-dir parallel-max parallel-max-host pass pinnedpubkey preproxy proto
  proto-default proto-redir proxy|x proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers
  proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name
  proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user|U proxy1.0 pubkey quote|Q
  random-file range|r rate referer|e request|X request-target resolve retry retry-delay retry-max-time
  sasl-authzid service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit|Y
  speed-time|y stderr telnet-option|t tftp-blksize time-cond|z tls-max tls13-ciphers tlsauthtype tlspassword
  tlsuser trace trace-ascii trace-config unix-socket upload-file|T url url-query user|u user-agent|A variable
  vlan-priority write-out|w`

/** All switches of its manual, with their letters. */
const switches = `
  anyauth append|a basic ca-native cert-status clobber compressed compressed-ssh create-dirs crlf digest disable|q
  disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure eprt epsv fail|f fail-early
  fail-with-body false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc
  ftp-ssl-control get|G globoff|g haproxy-protocol head|I help|h http0.9 http1.0|0 http1.1 http2
  http2-prior-knowledge http3 http3-only ignore-content-length include|i insecure|k ipv4|4 ipv6|6 junk-session-cookies|j
  keepalive list-only|l location|L location-trusted mail-rcpt-allowfails manual|M metalink mptcp negotiate netrc|n
  netrc-optional next|: no-alpn no-buffer|N buffer no-clobber no-keepalive no-npn no-progress-meter no-sessionid alpn
  npn ntlm ntlm-wb out-null parallel|Z parallel-immediate path-as-is post301 post302 post303 progress-bar|#
  progress-meter proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate
  proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel|p raw remote-header-name|J
  remote-name|O remote-name-all remote-time|R remove-on-error retry-all-errors retry-connrefused sasl-ir sessionid
  show-error|S show-headers silent|s skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast
  ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort ssl-sessions sslv2|2 sslv3|3 styled-output
  suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tls-earlydata tlsv1|1 tlsv1.0 tlsv1.1 tlsv1.2
  tlsv1.3 tr-encoding trace-ids trace-time use-ascii|B verbose|v version|V xattr`

/**
 * Options that do not change the request of an action: they are of output, of time and of retries, or of the connection
 * that carries the same request.
 */
const harmless: ReadonlySet<string> = new Set(
  wordsOf(`
    clobber cookie-jar create-dirs create-file-mode dump-header etag-save fail fail-early fail-with-body include
    libcurl max-filesize no-buffer no-clobber no-progress-meter buffer out-null output output-dir parallel
    parallel-immediate parallel-max parallel-max-host progress-bar progress-meter remote-header-name remote-name
    remote-name-all remote-time remove-on-error show-error show-headers silent skip-existing stderr styled-output
    suppress-connect-headers trace trace-ascii trace-config trace-ids trace-time verbose write-out xattr

    connect-timeout expect100-timeout happy-eyeballs-timeout-ms keepalive keepalive-cnt keepalive-time limit-rate
    max-time no-keepalive rate speed-limit speed-time

    retry retry-all-errors retry-connrefused retry-delay retry-max-time

    alpn basic compressed disable follow globoff http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only
    ipv4 ipv6 junk-session-cookies location location-trusted max-redirs mptcp no-alpn no-npn no-sessionid noproxy npn
    post301 post302 post303 proto-redir sessionid ssl ssl-no-revoke ssl-reqd ssl-revoke-best-effort ssl-sessions
    tcp-fastopen tcp-nodelay tls-earlydata tls-max tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding`),
)

/** Options that a call is only stricter without, and what to say about them. */
const stricter: Readonly<Record<string, string>> = {
  insecure: 'certificates are always checked',
  cacert: 'the service has certificate authorities of its own',
  capath: 'the service has certificate authorities of its own',
  'ca-native': 'the service has certificate authorities of its own',
}

/** Why an action cannot have an option; others are only said to be impossible. */
const reasons: readonly (readonly [names: string, reason: string])[] = [
  ['abstract-unix-socket unix-socket', 'the command calls a local socket, not the host of its URL'],
  [
    'preproxy proxy proxy1.0 socks4 socks4a socks5 socks5-hostname proxytunnel',
    'the command calls through a proxy',
  ],
  [
    'connect-to dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url interface resolve',
    'the command connects to another address than that of the host',
  ],
  [
    'anyauth aws-sigv4 delegation digest krb negotiate ntlm ntlm-wb sasl-authzid sasl-ir service-name',
    'calls do not sign in like this',
  ],
  ['netrc netrc-file netrc-optional', 'an import does not read the credentials in a file'],
  ['config', 'an import does not read the options in a file'],
  [
    'cert cert-type key key-type pass pinnedpubkey tlsauthtype tlsuser tlspassword',
    'calls have no certificate',
  ],
  ['etag-compare time-cond', 'an action sends no condition that changes with each call'],
  ['continue-at', 'an action does not resume a transfer'],
  ['path-as-is request-target', 'the path of an action is that of its URL'],
  ['variable', 'an import does not fill in variables of curl'],
  ['help manual version', 'the command sends nothing'],
]
const reasonOf = new Map(
  reasons.flatMap(([names, reason]) => wordsOf(names).map(name => [name, reason] as const)),
)

/** The effect of an option that an import does not read. */
export type OptionUse =
  | { readonly kind: 'harmless' }
  | { readonly kind: 'stricter'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string }

/** Returns the effect of an option that is not read. An unknown one may change anything. */
export function lossOfOption(name: string): OptionUse {
  if (harmless.has(name)) return { kind: 'harmless' }
  const strict = Object.hasOwn(stricter, name) ? stricter[name] : undefined
  if (strict !== undefined) return { kind: 'stricter', reason: strict }
  const reason = reasonOf.get(name)
  if (reason !== undefined) return { kind: 'lost', reason }
  if (name.startsWith('expand-'))
    return { kind: 'lost', reason: 'an import does not fill in variables of curl' }
  // --no-insecure and the like set a switch back.
  const positive = name.startsWith('no-') ? name.slice(3) : ''
  if (isSwitch(positive) && positive !== 'get' && positive !== 'head') return { kind: 'harmless' }
  return {
    kind: 'lost',
    reason: Object.hasOwn(curlOptions, name) ? 'calls do not support it' : 'it is unknown',
  }
}

const isSwitch = (name: string) => Object.hasOwn(curlOptions, name) && curlOptions[name]?.type === 'boolean'

/** For `parseArgs` of node:util. */
export const curlOptions: ParseArgsOptionsConfig = {
  ...optionsOf(withValue, 'string'),
  // Each takes a value with variables of curl.
  ...optionsOf(withValue.replace(/([\w.-]+)(?:\|.)?/g, 'expand-$1'), 'string'),
  ...optionsOf(switches, 'boolean'),
}

function optionsOf(table: string, type: 'string' | 'boolean'): ParseArgsOptionsConfig {
  return Object.fromEntries(
    wordsOf(table).map(word => {
      const [name = '', short] = word.split('|')
      return [name, { type, multiple: true, ...(short === undefined ? {} : { short }) }]
    }),
  )
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
