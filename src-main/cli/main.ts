#!/usr/bin/env node
import { errnoOf } from '#main/store/file-system.ts'
import { runCli } from './run-cli.ts'

// Whoever reads may have had enough, such as `head`.
process.stdout.on('error', error => {
  if (errnoOf(error) !== 'EPIPE') throw error
})
process.exitCode = await runCli(process.argv.slice(2))
