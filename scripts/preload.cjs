'use strict'
// Loaded before everything else, by any Node: CommonJS, because an old Node fails at the first .ts file.

const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { devDependencies, engines } = require('../package.json')

const modules = join(__dirname, '..', 'node_modules')

// Before the version: npm ci installs the right Node as well.
if (!Object.keys(devDependencies).every(name => existsSync(join(modules, name)))) {
  process.stderr.write('Packages of this project are not installed. Run npm ci first.\n')
  process.exit(1)
}

const oldest = Number.parseInt(engines.node.replace(/^\D+/, ''), 10)

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Node ${oldest} or newer is needed, but this is ${process.versions.node}. npm ci installs the right one, but ` +
      'install scripts are blocked. Run: npm rebuild node --ignore-scripts=false\n',
  )
  process.exit(1)
}

// Without a cache, Node strips the types of about 300 files at each start. The cache is inside this folder, because other
// users could put code into a shared one.
require('node:module').enableCompileCache?.(join(modules, '.cache', 'compiled'))
