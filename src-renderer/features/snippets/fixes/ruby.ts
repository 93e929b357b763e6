import type { Changes } from './change.ts'

const hmac = `digest = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}.#{body}")`
const sent = 'response = Net::HTTP.post(url, body, headers)'
const secret = "secret = ENV.fetch('CC_SIGNING_SECRET')"

export const ruby: Changes = {
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
