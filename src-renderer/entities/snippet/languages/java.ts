import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

/** Keeps the dots of a masked token or secret, which `quote.java` would escape. */
function quoteMasked(text: string): string {
  const parts = text.split('•').map(part => quote.java(part).slice(1, -1))
  return `"${parts.join('•')}"`
}

const key = 'mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));'
const hash = 'var hash = mac.doFinal((timestamp + "." + body).getBytes(UTF_8));'
const digest = 'var digest = HexFormat.of().formatHex(hash);'
const sent = '.POST(HttpRequest.BodyPublishers.ofString(body, UTF_8))'
const secret = 'var secret = System.getenv("CC_SIGNING_SECRET");'

const fixes: Changes = {
  timestamp_in_seconds: [
    'var timestamp = Long.toString(System.currentTimeMillis() / 1000);',
    'var timestamp = Long.toString(System.currentTimeMillis());',
  ],
  signed_body_only: ['var hash = mac.doFinal(body.getBytes(UTF_8));', hash],
  missing_dot: ['var hash = mac.doFinal((timestamp + body).getBytes(UTF_8));', hash],
  key_without_prefix: [
    'mac.init(new SecretKeySpec(secret.substring(6).getBytes(UTF_8), "HmacSHA256"));',
    key,
  ],
  key_base64_decoded: [
    'mac.init(new SecretKeySpec(Base64.getUrlDecoder().decode(secret.substring(6)), "HmacSHA256"));',
    key,
  ],
  digest_base64: ['var digest = Base64.getEncoder().encodeToString(hash);', digest],
  digest_uppercase: ['var digest = HexFormat.of().withUpperCase().formatHex(hash);', digest],
  missing_scheme: [
    '.header("x-service-signature", digest)',
    '.header("x-service-signature", "sha256=" + digest)',
  ],
  body_reserialized: [
    '.POST(HttpRequest.BodyPublishers.ofString(mapper.readTree(body).toPrettyString(), UTF_8))',
    sent,
  ],
  secret_with_whitespace: [secret, 'var secret = System.getenv("CC_SIGNING_SECRET").strip();'],
  empty_body: ['.POST(HttpRequest.BodyPublishers.noBody())', sent],
  body_bom: ['.POST(HttpRequest.BodyPublishers.ofString("\\uFEFF" + body, UTF_8))', sent],
  body_crlf: ['.POST(HttpRequest.BodyPublishers.ofString(body.replace("\\n", "\\r\\n"), UTF_8))', sent],
  body_latin1: ['.POST(HttpRequest.BodyPublishers.ofString(body, ISO_8859_1))', sent],
  timestamp_mismatch: [
    'var hash = mac.doFinal((System.currentTimeMillis() / 1000 + "." + body).getBytes(UTF_8));',
    hash,
  ],
  body_before_timestamp: ['var hash = mac.doFinal((body + "." + timestamp).getBytes(UTF_8));', hash],
  signed_data_only: ['var hash = mac.doFinal((timestamp + "." + data).getBytes(UTF_8));', hash],
  plain_sha256: [
    'var hash = MessageDigest.getInstance("SHA-256").digest((timestamp + "." + body).getBytes(UTF_8));',
    hash,
  ],
  key_message_swapped: [
    'mac.init(new SecretKeySpec((timestamp + "." + body).getBytes(UTF_8), "HmacSHA256"));\nvar hash = mac.doFinal(secret.getBytes(UTF_8));',
    `${key}\n${hash}`,
  ],
  token_as_key: ['var secret = System.getenv("CC_INBOUND_TOKEN");', secret],
}

export const java: LanguageSnippets = {
  fixes,
  send: {
    label: 'Java',
    highlight: 'java',
    file: 'Send.java',
    command: 'java Send.java',
    render: ({ url, eventName, data, secret }: SendInput) => `\
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Send {
    public static void main(String[] args) throws Exception {
        // The whole string is the key, whsec_ included
        var secret = ${secret === undefined ? 'System.getenv("CC_SIGNING_SECRET")' : quoteMasked(secret)};
        if (secret == null || secret.isEmpty()) throw new IllegalStateException("CC_SIGNING_SECRET is not set");
        var url = ${quoteMasked(url)};

        // Make the JSON text once: sign and send the same bytes
        var body = ${quote.java(eventBody(eventName, data))};
        var timestamp = Long.toString(System.currentTimeMillis());
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        var hash = mac.doFinal((timestamp + "." + body).getBytes(UTF_8));
        var digest = HexFormat.of().formatHex(hash);

        var request = HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .header("x-service-timestamp", timestamp)
            .header("x-service-signature", "sha256=" + digest)
            .POST(HttpRequest.BodyPublishers.ofString(body, UTF_8))
            .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
        // ${retryRule}
    }
}`,
  },
  verify: {
    label: 'Java',
    highlight: 'java',
    file: 'Verify.java',
    command: 'java Verify.java',
    render: () => `\
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Verify {
    static boolean verify(String secret, String timestamp, String signature, byte[] rawBody) {
        if (!timestamp.matches("[0-9]{1,15}")) return false;
        if (Math.abs(System.currentTimeMillis() - Long.parseLong(timestamp)) > 300_000) return false;
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(UTF_8));
            var expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(rawBody));
            return MessageDigest.isEqual(expected.getBytes(UTF_8), signature.getBytes(UTF_8));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    static void answer(HttpExchange exchange, int status, String body) throws IOException {
        var bytes = body.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    public static void main(String[] args) throws IOException {
        // The whole string is the key, whsec_ included
        var secret = System.getenv("CC_SIGNING_SECRET");
        if (secret == null || secret.isEmpty()) throw new IllegalStateException("CC_SIGNING_SECRET is not set");
        var port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            var rawBody = exchange.getRequestBody().readAllBytes(); // as received, before any parsing
            // Joined, so that a header that is sent twice is refused
            var headers = exchange.getRequestHeaders();
            var timestamp = String.join(",", headers.getOrDefault("x-service-timestamp", List.of()));
            var signature = String.join(",", headers.getOrDefault("x-service-signature", List.of()));
            if (!verify(secret, timestamp, signature, rawBody)) {
                answer(exchange, 401, "{\\"ok\\":false}");
                return;
            }
            // The call is genuine: do the work here
            answer(exchange, 200, "{\\"ok\\":true}");
        });
        server.start();
        System.out.println("Listening on port " + server.getAddress().getPort());
    }
}`,
  },
}
