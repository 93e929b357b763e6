import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

const hmac = `digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}.#{body}")`
const sent = 'response = Net::HTTP.post(url, body, headers)'
const secret = "secret = ENV.fetch('CC_SIGNING_SECRET')"

const fixes: Changes = {
  timestamp_in_seconds: [
    'timestamp = Time.now.to_i.to_s',
    'timestamp = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond).to_s',
  ],
  signed_body_only: ["digest = OpenSSL::HMAC.hexdigest('SHA256', secret, body)", hmac],
  missing_dot: [`digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}#{body}")`, hmac],
  key_without_prefix: [
    `digest = OpenSSL::HMAC.hexdigest('SHA256', secret.delete_prefix('whsec_'), "#{timestamp}.#{body}")`,
    hmac,
  ],
  key_base64_decoded: [
    `digest = OpenSSL::HMAC.hexdigest('SHA256', secret[6..].unpack1('m'), "#{timestamp}.#{body}")`,
    hmac,
  ],
  digest_base64: [
    `digest = [OpenSSL::HMAC.digest('SHA256', secret, "#{timestamp}.#{body}")].pack('m0')`,
    hmac,
  ],
  digest_uppercase: [`${hmac}.upcase`, hmac],
  missing_scheme: ["'x-service-signature' => digest", `'x-service-signature' => "sha256=#{digest}"`],
  body_reserialized: [
    'response = Net::HTTP.post(url, JSON.pretty_generate(JSON.parse(body)), headers)',
    sent,
  ],
  secret_with_whitespace: [secret, `${secret}.strip`],
  empty_body: ["response = Net::HTTP.post(url, '', headers)", sent],
  body_bom: [`response = Net::HTTP.post(url, "\\uFEFF#{body}", headers)`, sent],
  body_crlf: [`response = Net::HTTP.post(url, body.gsub("\\n", "\\r\\n"), headers)`, sent],
  body_latin1: ["response = Net::HTTP.post(url, body.encode('ISO-8859-1'), headers)", sent],
  timestamp_mismatch: [
    `digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{Time.now.to_i}.#{body}")`,
    hmac,
  ],
  body_before_timestamp: [`digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{body}.#{timestamp}")`, hmac],
  signed_data_only: [
    `digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}.#{JSON.generate(data)}")`,
    hmac,
  ],
  plain_sha256: [`digest = OpenSSL::Digest::SHA256.hexdigest("#{timestamp}.#{body}")`, hmac],
  key_message_swapped: [`digest = OpenSSL::HMAC.hexdigest('SHA256', "#{timestamp}.#{body}", secret)`, hmac],
  token_as_key: ["secret = ENV.fetch('CC_INBOUND_TOKEN')", secret],
}

export const ruby: LanguageSnippets = {
  fixes,
  send: {
    label: 'Ruby',
    highlight: 'ruby',
    file: 'send.rb',
    command: 'ruby send.rb',
    render: ({ url, eventName, data, secret }: SendInput) => `\
require 'net/http'
require 'openssl'

# The whole string is the key, whsec_ included
secret = ${secret === undefined ? "ENV.fetch('CC_SIGNING_SECRET')" : quote.ruby(secret)}
abort 'CC_SIGNING_SECRET is empty' if secret.empty?
url = URI(${quote.ruby(url)})

# Call JSON.generate once: sign and send the same text
body = ${quote.ruby(eventBody(eventName, data))}
timestamp = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond).to_s
digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}.#{body}")

headers = {
  'Content-Type' => 'application/json',
  'x-service-timestamp' => timestamp,
  'x-service-signature' => "sha256=#{digest}"
}
response = Net::HTTP.post(url, body, headers)
puts response.code, response.body
# ${retryRule}`,
  },
  verify: {
    label: 'Ruby',
    highlight: 'ruby',
    file: 'verify.rb',
    command: 'ruby verify.rb',
    render: () => `\
require 'openssl'
require 'socket'

# The whole string is the key, whsec_ included
SECRET = ENV.fetch('CC_SIGNING_SECRET')
abort 'CC_SIGNING_SECRET is empty' if SECRET.empty?

def verify(secret, timestamp, signature, raw_body)
  return false unless timestamp.match?(/\\A[0-9]{1,15}\\z/)

  now = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)
  return false if (now - Integer(timestamp, 10)).abs > 300_000

  hmac = OpenSSL::HMAC.new(secret, 'SHA256') << timestamp << '.' << raw_body
  OpenSSL.secure_compare("sha256=#{hmac.hexdigest}", signature)
end

def answer(socket, status, body)
  socket.write "HTTP/1.1 #{status}\\r\\nContent-Type: application/json\\r\\n",
               "Content-Length: #{body.bytesize}\\r\\nConnection: close\\r\\n\\r\\n", body
end

def handle(socket)
  socket.gets # the request line
  lines = socket.each_line("\\r\\n", chomp: true).take_while { |line| !line.empty? }
  # Joined, so that a header that is sent twice is refused
  headers = lines.map { |line| line.split(/: */, 2) }.group_by { |name, _| name.downcase }
                 .transform_values { |pairs| pairs.map(&:last).join(',') }
  # The bytes as received, before JSON.parse
  raw_body = socket.read(headers.fetch('content-length', 0).to_i)
  timestamp = headers.fetch('x-service-timestamp', '')
  signature = headers.fetch('x-service-signature', '')
  if verify(SECRET, timestamp, signature, raw_body)
    # The call is genuine: do the work here
    answer(socket, '200 OK', '{"ok":true}')
  else
    answer(socket, '401 Unauthorized', '{"ok":false}')
  end
ensure
  socket.close
end

# Ruby has had no HTTP server of its own since 3.0; in Rack, Rails or Sinatra only verify is needed
server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', 8080).to_i)
puts "Listening on port #{server.addr[1]}"
$stdout.flush
loop { Thread.start(server.accept) { |socket| handle(socket) } }`,
  },
}
