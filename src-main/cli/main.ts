#!/usr/bin/env node
import { allowClosedStdout } from './output.ts'
import { runCli } from './run-cli.ts'

allowClosedStdout(process.stdout)
process.exitCode = await runCli(process.argv.slice(2))
