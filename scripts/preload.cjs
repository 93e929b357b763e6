'use strict'
// Loaded before everything else, by any Node: CommonJS, because an old Node fails at the first .ts file.

const { engines } = require('../package.json')

const oldest = Number.parseInt(engines.node.replace(/^\D+/, ''), 10)

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Node ${oldest} or newer is needed, this is ${process.versions.node}: the one that npm ci installs is missing, ` +
      'because install scripts are blocked. Run: npm rebuild node --ignore-scripts=false\n',
  )
  process.exit(1)
}

// From source, Node would strip the types of some 300 files at each start. It is this folder's own cache, since what
// another user could put into a shared one would be run.
require('node:module').enableCompileCache?.(
  require('node:path').join(__dirname, '..', 'node_modules', '.cache', 'compiled'),
)
