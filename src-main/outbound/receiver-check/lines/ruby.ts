import type { Corrections } from './corrections.ts'

export const ruby: Corrections = {
  window: `\
  timestamp = request.get_header('HTTP_X_SERVICE_TIMESTAMP').to_s
+ return head(401) unless timestamp.match?(/\\A[0-9]{1,15}\\z/)
+ now = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)
+ return head(401) if (now - Integer(timestamp, 10)).abs > 300_000`,
  rawBody: `\
- raw_body = JSON.generate(params)
+ raw_body = request.body.read # as received
+ # Call JSON.parse once the signature is right`,
  key: `\
+ # The whole string is the key, whsec_ included, and only the current one
+ hmac = OpenSSL::HMAC.new(secret, 'SHA256')`,
  message: `\
- hmac << raw_body
+ hmac << timestamp << '.' << raw_body`,
  missing: `\
+ signature = request.get_header('HTTP_X_SERVICE_SIGNATURE').to_s
+ return head(401) unless OpenSSL.secure_compare("sha256=#{hmac.hexdigest}", signature)`,
  header: `\
+ # Rack has the names of headers in capitals, however they were sent
+ timestamp = request.get_header('HTTP_X_SERVICE_TIMESTAMP').to_s
+ signature = request.get_header('HTTP_X_SERVICE_SIGNATURE').to_s`,
  parsing: `\
+ begin
+   data = JSON.parse(raw_body)
+ rescue JSON::ParserError
+   return head(400)
+ end`,
  answer: `\
+ WorkJob.perform_later(data) # another process does the work
+ head(202)`,
}
