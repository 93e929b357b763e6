# Signs an event with openssl and posts it with curl: send.sh URL SECRET TIMESTAMP BODY [SIGNED_BODY [curl options]]
# Prints the body of the answer and, on a line of its own, the status.
set -eu
url=$1 secret=$2 timestamp=$3 body=$4 signed=${5-$4}
shift 4
if [ $# -gt 0 ]; then shift; fi
digest=$(printf '%s' "$timestamp.$signed" | openssl dgst -sha256 -hmac "$secret" | sed 's/^.*= *//')
exec curl --silent --show-error --max-time 20 --write-out '\n%{http_code}' \
  --header 'Content-Type: application/json' \
  --header "x-service-timestamp: $timestamp" \
  --header "x-service-signature: sha256=$digest" \
  --data-binary "$body" "$@" "$url"
