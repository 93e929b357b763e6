import type { ParseArgsOptionsConfig } from 'node:util'

/**
 * The options of curl that take a value, as its manual has them: an unknown one would make a URL of its
 * value. All others are switches.
 */
const withValue: readonly (string | readonly [name: string, short: string])[] = [
  ...['abstract-unix-socket', 'alt-svc', 'aws-sigv4', 'cacert', 'capath', 'cert-type', 'ciphers'],
  ...['connect-to', 'create-file-mode', 'crlfile', 'curves', 'data-ascii', 'data-binary', 'data-raw'],
  ...['data-urlencode', 'delegation', 'dns-interface', 'dns-ipv4-addr', 'dns-ipv6-addr', 'dns-servers'],
  ...['doh-url', 'ech', 'egd-file', 'engine', 'etag-compare', 'etag-save', 'expect100-timeout'],
  ...['form-string', 'ftp-account', 'ftp-alternative-to-user', 'ftp-method', 'ftp-ssl-ccc-mode'],
  ...['happy-eyeballs-timeout-ms', 'haproxy-clientip', 'hostpubmd5', 'hostpubsha256', 'hsts', 'interface'],
  ...[
    'ip-tos',
    'ipfs-gateway',
    'json',
    'keepalive-cnt',
    'keepalive-time',
    'key',
    'key-type',
    'krb',
    'libcurl',
  ],
  ...['limit-rate', 'local-port', 'login-options', 'mail-auth', 'mail-from', 'mail-rcpt', 'max-filesize'],
  ...['max-redirs', 'netrc-file', 'noproxy', 'oauth2-bearer', 'output-dir', 'parallel-max', 'pass'],
  ...['pinnedpubkey', 'preproxy', 'proto', 'proto-default', 'proto-redir', 'proxy-cacert', 'proxy-capath'],
  ...['proxy-cert', 'proxy-cert-type', 'proxy-ciphers', 'proxy-crlfile', 'proxy-header', 'proxy-key'],
  ...['proxy-key-type', 'proxy-pass', 'proxy-pinnedpubkey', 'proxy-service-name', 'proxy-tls13-ciphers'],
  ...['proxy-tlsauthtype', 'proxy-tlspassword', 'proxy-tlsuser', 'proxy1.0', 'pubkey', 'random-file', 'rate'],
  ...['request-target', 'resolve', 'retry', 'retry-delay', 'retry-max-time', 'sasl-authzid', 'service-name'],
  ...['sigalgs', 'socks4', 'socks4a', 'socks5', 'socks5-gssapi-service', 'socks5-hostname', 'stderr'],
  ...['tftp-blksize', 'tls-max', 'tls13-ciphers', 'tlsauthtype', 'tlspassword', 'tlsuser', 'trace'],
  ...['trace-ascii', 'trace-config', 'unix-socket', 'url', 'url-query', 'variable', 'vlan-priority'],
  ['connect-timeout', ''],
  ['config', 'K'],
  ['continue-at', 'C'],
  ['cookie', 'b'],
  ['cookie-jar', 'c'],
  ['cert', 'E'],
  ['data', 'd'],
  ['dump-header', 'D'],
  ['form', 'F'],
  ['ftp-port', 'P'],
  ['header', 'H'],
  ['max-time', 'm'],
  ['output', 'o'],
  ['proxy', 'x'],
  ['proxy-user', 'U'],
  ['quote', 'Q'],
  ['range', 'r'],
  ['referer', 'e'],
  ['request', 'X'],
  ['speed-limit', 'Y'],
  ['speed-time', 'y'],
  ['telnet-option', 't'],
  ['time-cond', 'z'],
  ['upload-file', 'T'],
  ['user', 'u'],
  ['user-agent', 'A'],
  ['write-out', 'w'],
]

const switches: readonly (readonly [name: string, short: string])[] = [
  ['get', 'G'],
  ['head', 'I'],
  ['include', 'i'],
  ['insecure', 'k'],
  ['location', 'L'],
  ['silent', 's'],
  ['show-error', 'S'],
  ['fail', 'f'],
  ['verbose', 'v'],
  ['globoff', 'g'],
  ['next', ':'],
  ['no-buffer', 'N'],
  ['http1.0', '0'],
  ['ipv4', '4'],
  ['ipv6', '6'],
  ['progress-bar', '#'],
  ['remote-name', 'O'],
  ['remote-header-name', 'J'],
  ['tlsv1', '1'],
]

/** For `parseArgs` of node:util. */
export const curlOptions: ParseArgsOptionsConfig = Object.fromEntries([
  ...withValue.map(option => {
    const [name, short] = typeof option === 'string' ? [option, ''] : option
    return [name, { type: 'string' as const, multiple: true, ...(short === '' ? {} : { short }) }]
  }),
  ...switches.map(([name, short]) => [name, { type: 'boolean' as const, multiple: true, short }]),
])

/** Options that change nothing about the request that an action makes. */
export const harmless: ReadonlySet<string> = new Set([
  ...['compressed', 'silent', 'show-error', 'fail', 'verbose', 'globoff', 'include', 'no-buffer'],
  ...['progress-bar', 'output', 'remote-name', 'remote-header-name', 'write-out', 'http1.0', 'http1.1'],
  ...['http2', 'http2-prior-knowledge', 'http3', 'ipv4', 'ipv6', 'tlsv1', 'tlsv1.2', 'tlsv1.3', 'max-time'],
  ...[
    'connect-timeout',
    'retry',
    'retry-delay',
    'retry-max-time',
    'fail-with-body',
    'location',
    'no-progress-meter',
  ],
  ...[
    'keepalive-time',
    'dump-header',
    'cookie-jar',
    'trace',
    'trace-ascii',
    'stderr',
    'output-dir',
    'ssl-reqd',
  ],
])
