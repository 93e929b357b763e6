import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

const hmac = `$digest = hash_hmac('sha256', "$timestamp.$body", $secret);`
const sent = "'content' => $body,"
const secret = "$secret = getenv('CC_SIGNING_SECRET');"

const fixes: Changes = {
  timestamp_in_seconds: [
    '$timestamp = (string) time();',
    '$timestamp = (string) (int) (microtime(true) * 1000);',
  ],
  signed_body_only: ["$digest = hash_hmac('sha256', $body, $secret);", hmac],
  missing_dot: [`$digest = hash_hmac('sha256', "$timestamp$body", $secret);`, hmac],
  key_without_prefix: [`$digest = hash_hmac('sha256', "$timestamp.$body", substr($secret, 6));`, hmac],
  key_base64_decoded: [
    `$digest = hash_hmac('sha256', "$timestamp.$body", base64_decode(substr($secret, 6)));`,
    hmac,
  ],
  digest_base64: [`$digest = base64_encode(hash_hmac('sha256', "$timestamp.$body", $secret, true));`, hmac],
  digest_uppercase: [`$digest = strtoupper(hash_hmac('sha256', "$timestamp.$body", $secret));`, hmac],
  missing_scheme: ['"x-service-signature: $digest",', '"x-service-signature: sha256=$digest",'],
  body_reserialized: ["'content' => json_encode(json_decode($body), JSON_PRETTY_PRINT),", sent],
  secret_with_whitespace: [secret, "$secret = trim(getenv('CC_SIGNING_SECRET'));"],
  empty_body: ['', sent],
  body_bom: [`'content' => "\\u{FEFF}$body",`, sent],
  body_crlf: [`'content' => str_replace("\\n", "\\r\\n", $body),`, sent],
  body_latin1: ["'content' => iconv('UTF-8', 'ISO-8859-1', $body),", sent],
  timestamp_mismatch: [`$digest = hash_hmac('sha256', time() . ".$body", $secret);`, hmac],
  body_before_timestamp: [`$digest = hash_hmac('sha256', "$body.$timestamp", $secret);`, hmac],
  signed_data_only: ["$digest = hash_hmac('sha256', $timestamp . '.' . json_encode($data), $secret);", hmac],
  plain_sha256: [`$digest = hash('sha256', "$timestamp.$body");`, hmac],
  key_message_swapped: [`$digest = hash_hmac('sha256', $secret, "$timestamp.$body");`, hmac],
  token_as_key: ["$secret = getenv('CC_INBOUND_TOKEN');", secret],
}

export const php: LanguageSnippets = {
  fixes,
  send: {
    label: 'PHP',
    highlight: 'php',
    file: 'send.php',
    command: 'php send.php',
    render: ({ url, eventName, data, secret }: SendInput) => `\
<?php
// The whole string is the key, whsec_ included
$secret = ${secret === undefined ? "getenv('CC_SIGNING_SECRET')" : quote.php(secret)};
if (!$secret) throw new Exception('CC_SIGNING_SECRET is not set');
$url = ${quote.php(url)};

// Call json_encode once: sign and send the same bytes
$body = ${quote.php(eventBody(eventName, data))};
$timestamp = (string) (int) (microtime(true) * 1000);
$digest = hash_hmac('sha256', "$timestamp.$body", $secret);

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Content-Type: application/json',
        "x-service-timestamp: $timestamp",
        "x-service-signature: sha256=$digest",
    ],
    'content' => $body,
    'ignore_errors' => true, // an error's body holds the reason
]]);
$response = fopen($url, 'r', false, $context);
echo stream_get_meta_data($response)['wrapper_data'][0], "\\n";
echo stream_get_contents($response), "\\n";
// ${retryRule}`,
  },
  verify: {
    label: 'PHP',
    highlight: 'php',
    file: 'verify.php',
    command: 'php -S 127.0.0.1:8080 verify.php',
    render: () => `\
<?php
function verify(string $secret, string $timestamp, string $signature, string $rawBody): bool
{
    if (!preg_match('/^[0-9]{1,15}\\z/', $timestamp)) {
        return false;
    }
    if (abs(microtime(true) * 1000 - (int) $timestamp) > 300_000) {
        return false;
    }
    $expected = 'sha256=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    return hash_equals($expected, $signature);
}

function answer(int $status, string $body): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    exit($body);
}

// The whole string is the key, whsec_ included
$secret = getenv('CC_SIGNING_SECRET') ?: answer(500, '{"error":"CC_SIGNING_SECRET is not set"}');
$timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
$signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
$rawBody = file_get_contents('php://input'); // as received, before json_decode

if (!verify($secret, $timestamp, $signature, $rawBody)) {
    answer(401, '{"ok":false}');
}
// The call is genuine: do the work here
answer(200, '{"ok":true}');`,
  },
}
