import type { Corrections } from './corrections.ts'

export const php: Corrections = {
  window: `\
  $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
+ if (!preg_match('/^[0-9]{1,15}\\z/', $timestamp)
+     || abs(microtime(true) * 1000 - (int) $timestamp) > 300_000) {
+     http_response_code(401);
+     exit;
+ }`,
  rawBody: `\
- $rawBody = json_encode(json_decode($body));
+ $rawBody = file_get_contents('php://input'); // as received
+ // Call json_decode once the signature is right`,
  key: `\
+ // The whole string is the key, whsec_ included, and only the current one
+ $expected = 'sha256=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);`,
  message: `\
- $digest = hash_hmac('sha256', $rawBody, $secret);
+ $digest = hash_hmac('sha256', "$timestamp.$rawBody", $secret);`,
  missing: `\
+ $signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
+ if (!hash_equals($expected, $signature)) {
+     http_response_code(401);
+     exit;
+ }`,
  header: `\
+ // PHP has the names of headers in capitals, however they were sent
+ $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
+ $signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';`,
  parsing: `\
+ $data = json_decode($rawBody);
+ if (json_last_error() !== JSON_ERROR_NONE) {
+     http_response_code(400);
+     exit;
+ }`,
  answer: `\
+ http_response_code(202);
+ fastcgi_finish_request(); // answer first
  work($data);`,
}
