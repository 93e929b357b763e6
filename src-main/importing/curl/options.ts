import type { ParseArgsOptionsConfig } from 'node:util'

/**
 * The options of curl with a value, from its manual, as `name` or `name|letter`. All others are switches. If one were
 * missing here, its value would count as a URL.
 */
const withValue = `
  abstract-unix-socket alt-svc aws-sigv4 cacert capath cert|E cert-type ciphers config|K connect-timeout
  connect-to continue-at|C cookie|b cookie-jar|c create-file-mode crlfile curves data|d data-ascii data-binary
  data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header|D
  ech egd-file engine etag-compare etag-save expect100-timeout form|F form-string ftp-account
  ftp-alternative-to-user ftp-method ftp-port|P ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip
  header|H hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json keepalive-cnt keepalive-time key
  key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt max-filesize max-redirs
  max-time|m netrc-file noproxy oauth2-bearer output|o output-dir parallel-max pass pinnedpubkey preproxy proto
  proto-default proto-redir proxy|x proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers
  proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name
  proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user|U proxy1.0 pubkey quote|Q
  random-file range|r rate referer|e request|X request-target resolve retry retry-delay retry-max-time
  sasl-authzid service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit|Y
  speed-time|y stderr telnet-option|t tftp-blksize time-cond|z tls-max tls13-ciphers tlsauthtype tlspassword
  tlsuser trace trace-ascii trace-config unix-socket upload-file|T url url-query user|u user-agent|A variable
  vlan-priority write-out|w`

/** The switches that have a letter. */
const switches = `
  fail|f get|G globoff|g head|I http1.0|0 include|i insecure|k ipv4|4 ipv6|6 location|L next|: no-buffer|N
  progress-bar|# remote-header-name|J remote-name|O show-error|S silent|s tlsv1|1 verbose|v`

/** Options that do not change the request of an action. */
export const harmless: ReadonlySet<string> = new Set(
  wordsOf(`
    compressed connect-timeout cookie-jar dump-header fail fail-with-body globoff http1.0 http1.1 http2
    http2-prior-knowledge http3 include ipv4 ipv6 keepalive-time location max-time no-buffer no-progress-meter
    output output-dir progress-bar remote-header-name remote-name retry retry-delay retry-max-time show-error
    silent ssl-reqd stderr tlsv1 tlsv1.2 tlsv1.3 trace trace-ascii verbose write-out`),
)

/** For `parseArgs` of node:util. */
export const curlOptions: ParseArgsOptionsConfig = {
  ...optionsOf(withValue, 'string'),
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
