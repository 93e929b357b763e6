/**
 * `npm run bench`: every benchmark in turn, each with its baseline in the same run. Prints ratios and
 * targets and writes test/bench/results.json. Names given as arguments choose some of them: `growth` also `growth-events`.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { run as abuse } from './abuse.ts'
import { run as activity } from './activity.ts'
import { run as against } from './against.ts'
import { run as cases } from './cases.ts'
import { run as damage } from './damage.ts'
import { run as damagedBlocks } from './damaged-blocks.ts'
import { run as eventLists } from './event-lists.ts'
import { run as eventLogScale } from './event-log-scale.ts'
import { run as fanOut } from './fan-out.ts'
import { run as fastPath } from './fast-path.ts'
import { run as fits } from './fits.ts'
import { run as fuzz } from './fuzz.ts'
import { run as growth } from './growth.ts'
import { run as growthConnections } from './growth-connections.ts'
import { run as growthEvents } from './growth-events.ts'
import { run as imports } from './import.ts'
import { run as keyed } from './keyed.ts'
import { run as kill } from './kill.ts'
import { run as listener } from './listener.ts'
import { run as mcp } from './mcp.ts'
import { run as nodesAccept } from './nodes-accept.ts'
import { run as nodesClaim } from './nodes-claim.ts'
import { run as nodesConfig } from './nodes-config.ts'
import { run as nodesDashboard } from './nodes-dashboard.ts'
import { run as nodesDatabase } from './nodes-database.ts'
import { run as nodesFailover } from './nodes-failover.ts'
import { run as nodesFanOut } from './nodes-fan-out.ts'
import { run as nodesHistory } from './nodes-history.ts'
import { run as nodesIds } from './nodes-ids.ts'
import { run as nodesKill } from './nodes-kill.ts'
import { run as nodesLimits } from './nodes-limits.ts'
import { run as nodesMcp } from './nodes-mcp.ts'
import { run as nodesMemory } from './nodes-memory.ts'
import { run as nodesOrder } from './nodes-order.ts'
import { run as nodesPartition } from './nodes-partition.ts'
import { run as nodesPromoted } from './nodes-promoted.ts'
import { run as nodesReadiness } from './nodes-readiness.ts'
import { run as nodesRepeats } from './nodes-repeats.ts'
import { run as nodesScale } from './nodes-scale.ts'
import { run as nodesSearch } from './nodes-search.ts'
import { run as nodesUpgrade } from './nodes-upgrade.ts'
import { run as outbound } from './outbound.ts'
import { run as pageFollow } from './page-follow.ts'
import { run as pageHeap } from './page-heap.ts'
import { run as realApis } from './real-apis.ts'
import { run as realApisCost } from './real-apis-cost.ts'
import { run as realClients } from './real-clients.ts'
import { run as runQueue } from './run-queue.ts'
import { run as soak } from './soak.ts'
import { run as start } from './start.ts'
import { run as tracing } from './tracing.ts'
import { run as watchKill } from './watch-kill.ts'
import { run as workflowKill } from './workflow-kill.ts'
import { run as workflows } from './workflows.ts'

const benchmarks: Record<string, { title: string; run: () => Promise<unknown> }> = {
  start: { title: 'The start of the service against a bare node', run: () => start() },
  listener: { title: 'The listener against a bare node:http server', run: () => listener() },
  against: { title: 'Events accepted, against another version', run: () => against() },
  kill: { title: 'kill -9 under load', run: () => kill() },
  workflows: { title: 'Runs of workflows against the listener alone', run: () => workflows() },
  'fan-out': { title: 'An event that starts 1,000 workflows', run: () => fanOut() },
  tracing: { title: 'Events with and without a receiver of their spans', run: () => tracing() },
  cases: { title: '1,000 cases run by one command, against calls', run: () => cases() },
  fits: { title: '1,000 workflows of which 10 fit an event, against the 10 alone', run: () => fits() },
  keyed: { title: 'An event that starts 200 workflows, each with a key', run: () => keyed() },
  'run-queue': { title: 'A million runs that wait, and a million that have ended', run: () => runQueue() },
  'nodes-accept': { title: 'Events that PostgreSQL accepts, against SQLite', run: () => nodesAccept() },
  'nodes-claim': { title: 'Claims in PostgreSQL among a million runs', run: () => nodesClaim() },
  'nodes-fan-out': {
    title: 'Events in PostgreSQL whose workflows only decide',
    run: () => nodesFanOut(),
  },
  'nodes-search': { title: 'Searches in PostgreSQL among 100,000 events', run: () => nodesSearch() },
  'nodes-kill': { title: 'kill -9 of a node on PostgreSQL under load', run: () => nodesKill() },
  'nodes-dashboard': { title: 'What a page sees of several nodes', run: () => nodesDashboard() },
  'nodes-database': { title: 'kill -9 of PostgreSQL under load', run: () => nodesDatabase() },
  'nodes-failover': { title: 'The loss of the primary of two PostgreSQL', run: () => nodesFailover() },
  'nodes-promoted': { title: 'A standby promoted by mistake', run: () => nodesPromoted() },
  'nodes-readiness': { title: 'A load balancer and nodes without a database', run: () => nodesReadiness() },
  'nodes-upgrade': { title: 'A rolling upgrade of nodes under load', run: () => nodesUpgrade() },
  'nodes-partition': { title: 'A node cut off from PostgreSQL under load', run: () => nodesPartition() },
  'nodes-mcp': { title: 'Clients of MCP on several nodes', run: () => nodesMcp() },
  'nodes-memory': { title: 'Memory of a node on PostgreSQL against a local one', run: () => nodesMemory() },
  'nodes-config': { title: 'Changes of the configuration of nodes under load', run: () => nodesConfig() },
  'nodes-order': { title: 'The order of events over nodes whose clocks differ', run: () => nodesOrder() },
  'nodes-repeats': { title: 'The same request many times at once over nodes', run: () => nodesRepeats() },
  'nodes-ids': { title: 'Ids of nodes that restart, hang and change their clocks', run: () => nodesIds() },
  'nodes-history': {
    title: 'Nodes under faults of all kinds, by their whole history',
    run: () => nodesHistory(),
  },
  'nodes-limits': { title: 'Limits of runs and calls over nodes', run: () => nodesLimits() },
  'nodes-scale': { title: 'Events that 1, 2 and 4 nodes accept', run: () => nodesScale() },
  'workflow-kill': { title: 'kill -9 while workflows run', run: () => workflowKill() },
  'watch-kill': { title: 'kill -9 while alerts are told and hours counted', run: () => watchKill() },
  'nodes-watch-kill': {
    title: 'The same with one of three nodes on PostgreSQL',
    run: () => watchKill({ nodes: 3 }),
  },
  damage: { title: 'Damaged files of the data folder', run: () => damage() },
  'damaged-blocks': { title: 'Damaged places of the databases', run: () => damagedBlocks() },
  fuzz: { title: 'Fuzzed events and REST calls', run: () => fuzz() },
  'fast-path': { title: 'Fuzzed requests with the fast path and without it', run: () => fastPath() },
  abuse: { title: 'Honest senders while the service is attacked', run: () => abuse() },
  outbound: { title: 'A signed call against a bare undici request', run: () => outbound() },
  mcp: { title: 'A call over MCP against a tool that does nothing', run: () => mcp() },
  import: { title: 'An import of 10,000 actions against one of 1,000', run: () => imports() },
  'real-apis': { title: 'Operations of real APIs, judged by Prism', run: () => realApis() },
  'real-apis-cost': { title: 'The schemas of GitHub against plain actions', run: () => realApisCost() },
  'real-clients': { title: 'Requests of the libraries of providers, and ours', run: () => realClients() },
  growth: { title: 'Time against length and number', run: () => growth() },
  'growth-connections': { title: 'Calls with 10 to 10,000 connections', run: () => growthConnections() },
  'growth-events': { title: 'Reads with 10,000 and a million events', run: () => growthEvents() },
  activity: {
    title: 'The activity with 100,000 events, and the map of 1,000 connections',
    run: () => activity(),
  },
  'page-follow': { title: 'A page that follows 500 events a second', run: () => pageFollow() },
  'page-heap': { title: 'The memory of a page after 200 navigations', run: () => pageHeap() },
  'event-lists': { title: 'Lists of large events, and many events in one request', run: () => eventLists() },
  soak: { title: 'Memory over 300,000 events', run: () => soak() },
  'soak-runs': { title: 'Memory over 300,000 runs', run: () => soak({ hasWorkflow: true }) },
  'event-log-scale': { title: 'A million stored events against ten thousand', run: () => eventLogScale() },
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter(name => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}
const results: Record<string, unknown> = {}
for (const [name, { title, run }] of Object.entries(benchmarks)) {
  if (chosen.length > 0 && !chosen.some(one => name === one || name.startsWith(`${one}-`))) continue
  console.log(`\n${title}`)
  results[name] = await run()
}
const machine = { node: process.version, cores: cpus().length, model: cpus()[0]?.model }
writeFileSync(
  join(import.meta.dirname, 'results.json'),
  JSON.stringify({ at: new Date(), machine, results }, null, 2),
)
