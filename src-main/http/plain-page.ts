/** What a browser sees at the dashboard's address where the dashboard is not built. No data, no script. */
export function plainPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Custom Connection</title>
<style>
  :root { color-scheme: light dark }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1.25rem }
  h1 { font-size: 1.25rem } code { font-family: ui-monospace, monospace; font-size: 0.9em }
</style>
<h1>Custom Connection ${version} is running</h1>
<p>The dashboard has not been built yet: run <code>npm run build</code> in the project's folder, then start
the service again.</p>
<p>Meanwhile connections are managed over REST at <code>/api/v1</code> with the admin token, described by
<code>/api/v1/openapi.json</code>, and with the command line: <code>npm run cli -- --help</code>.</p>
<p>Whether events can be accepted is at <code>/healthz</code>.</p>
</html>
`
}
