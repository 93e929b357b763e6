import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { ServiceError } from '#shared/errors.ts'

// Opens the folder and holds it until it is killed; or says why it cannot, and exits 1.
try {
  const folder = await openDataFolder(process.argv[2] ?? '')
  process.stdout.write('open\n')
  process.stdin.on('close', () => folder.close()).resume()
} catch (error) {
  if (!(error instanceof ServiceError)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
  process.exitCode = 1
}
