import { writeSync } from 'node:fs'
import { createDurableFile, parseJson } from '#main/storage/local/durable-json-file.ts'

// Counts upwards from what the file holds, and says each number once it is durable. Runs until it is killed.
const file = createDurableFile<number>({
  path: process.argv[2] ?? '',
  decode: bytes => Number(parseJson(bytes)),
  encode: String,
  clock: () => 0,
})
for (let count = ((await file.read()) ?? 0) + 1; ; count += 1) {
  await file.write(count)
  writeSync(1, `${count}\n`)
}
