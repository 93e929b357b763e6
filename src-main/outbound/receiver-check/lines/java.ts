import type { Corrections } from './corrections.ts'

export const java: Corrections = {
  window: `\
  var timestamp = headers.getFirst("x-service-timestamp");
+ if (timestamp == null || !timestamp.matches("[0-9]{1,15}")
+         || Math.abs(System.currentTimeMillis() - Long.parseLong(timestamp)) > 300_000) {
+     answer(exchange, 401);
+     return;
+ }`,
  rawBody: `\
- mac.update(mapper.writeValueAsBytes(data));
+ var rawBody = exchange.getRequestBody().readAllBytes(); // as received
+ mac.update(rawBody);
+ // Parse it once the signature is right`,
  key: `\
+ // The whole string is the key, whsec_ included, and only the current one
+ mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));`,
  message: `\
+ mac.update((timestamp + ".").getBytes(UTF_8));
  mac.update(rawBody);`,
  missing: `\
+ var expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal());
+ var received = signature == null ? "" : signature;
+ if (!MessageDigest.isEqual(expected.getBytes(UTF_8), received.getBytes(UTF_8))) {
+     answer(exchange, 401);
+     return;
+ }`,
  header: `\
+ // getFirst finds a header however its name is spelled
+ var timestamp = headers.getFirst("x-service-timestamp");
+ var signature = headers.getFirst("x-service-signature");`,
  parsing: `\
+ try {
+     data = mapper.readTree(rawBody);
+ } catch (JsonProcessingException error) {
+     answer(exchange, 400);
+     return;
+ }`,
  answer: `\
+ answer(exchange, 202); // answer first
+ executor.submit(() -> work(data));`,
}
